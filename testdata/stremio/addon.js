// A Stremio add-on made with the real SDK. Its streams lie on the server that MEDIA
// names. It listens on this machine alone, which the SDK's own serveHTTP cannot, and
// ends with its standard input.
'use strict'

const http = require('http')
const express = require('express')
const { addonBuilder, getRouter } = require('stremio-addon-sdk')

const media = process.env.MEDIA
const film = 'tt9000001'
const series = 'tt9000010'

const builder = new addonBuilder({
  id: 'org.example.xship.test',
  version: '1.0.0',
  name: 'Real add-on',
  description: 'Invented films',
  resources: ['stream', { name: 'meta', types: ['movie'], idPrefixes: ['tt'] }],
  types: ['movie', 'series'],
  idPrefixes: ['tt'],
  catalogs: []
})

const streams = {
  ['movie ' + film]: [
    {
      name: 'Real add-on\n1080p',
      description: 'Paper Submarines\n💾 1.5 GB 🇬🇧',
      url: media + '/film.mp4',
      behaviorHints: {
        notWebReady: true,
        filename: 'Paper.Submarines.2016.1080p.WEB-DL.mp4',
        bingeGroup: 'real|1080p',
        proxyHeaders: { request: { Referer: 'https://player.example/' } }
      },
      subtitles: [{ id: '1', url: media + '/film.srt', lang: 'eng' }]
    },
    { name: 'Real add-on', infoHash: '0123456789012345678901234567890123456789', fileIdx: 0 }
  ],
  ['series ' + series + ':0:1']: [{ title: '720p', url: media + '/special.mp4' }],
  ['series ' + series + ':2:10']: [{ title: '720p', url: media + '/episode.mp4' }]
}

builder.defineStreamHandler(({ type, id }) => {
  if (id === 'tt9000500') return Promise.reject(new Error('this handler fails'))
  return Promise.resolve({ streams: streams[type + ' ' + id] || [], cacheMaxAge: 60 })
})

builder.defineMetaHandler(({ id }) => Promise.resolve({
  meta: { id, type: 'movie', name: 'Paper Submarines', trailers: [{ source: 'abcdefghijk', type: 'Trailer' }] }
}))

const server = http.createServer(express().use(getRouter(builder.getInterface())))
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/manifest.json'))
process.stdin.on('end', () => process.exit()).resume()
