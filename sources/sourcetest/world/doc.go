// Package world is a small internet on the loopback network: hosters that
// serve media, sites that speak the MacCMS and T4 protocols, interfaces that list
// them and services that tell the ids of titles. Each server has an address of its own in 127.0.0.0/8, so that
// hosters, which are known by their address without the port, differ; each can
// be made to fail in every way that real ones do, and to recover, while it runs.
// Tests and the demo share it; nothing in it leaves the machine.
package world
