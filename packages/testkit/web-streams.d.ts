// Stands in for the types of `web-streams-polyfill`, which old clients name: those bring the types of browsers along.
export { ReadableStream } from 'node:stream/web'
