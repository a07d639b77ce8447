// Package folder has the films and episodes that lie in a folder of this machine. They
// are found by the names of their files, as package files reads them.
//
// No symbolic link leads out of the folder: those that do are not there. One to a folder
// within is followed where the path to it has no other, so that loops end. What a source
// names is the path of its file, and who plays it opens that path: a file that has become
// a link since it was listed is opened wherever that leads, so that a folder into which
// others write is as safe as they are. What is not media is not played.
package folder
