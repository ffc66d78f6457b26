import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BareWork } from './bare-server.ts'

let stored = 0

process.once('message', (work: BareWork) => {
  const server = 'answer' in work ? answering(Buffer.from(work.answer), work.headers) : storing(work.store)
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
process.once('disconnect', () => process.exit())

const answering = (body: Buffer, headers: Record<string, string>) =>
  createServer((_request, response) => {
    response.writeHead(200, headers)
    response.end(body)
  })

/** Durable before it answers, like the server it is compared with. */
const storing = (folder: string) =>
  createServer(async (request, response) => {
    const path = join(folder, `bare-${stored++}`)
    await pipeline(request, createWriteStream(path))
    const file = await open(path)
    await file.sync()
    await file.close()
    response.end('{}')
  })
