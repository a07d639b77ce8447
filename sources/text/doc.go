// Package text is what all other packages know of text: how text from the network
// is made fit to be shown, which character set it is in, by which key names are
// compared, which words beside a title tell of picture, sound and language, and how an
// error tells its code and the advice that goes with it. It imports nothing of xship.
package text
