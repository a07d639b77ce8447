// Package maccms searches sites that speak the API of MacCMS, in JSON, which
// interfaces list as type 1, or in XML, type 0.
//
// What an answer is, its first character tells, not the type: addresses name
// the form themselves ("/at/xml/"), and often another one than their interface.
//
// A site that answers in GBK may look for the bytes of its own charset. Where it found
// nothing by those of UTF-8, which most sites want, it is asked once more.
package maccms
