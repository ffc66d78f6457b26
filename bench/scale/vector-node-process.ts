// One node that holds vectors: a kernel on the given PostgreSQL, reached by the others, asked by its parent.
//   node vector-node-process.ts '{"url":"postgres://…","folder":"/tmp/…"}'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createKernel } from '@atoll/kernel/create-kernel'
import { silentLog } from '@atoll/testkit/silent-log'
import type { NodeAnswer, NodeQuestion } from './vector-questions.ts'

const { url, folder } = JSON.parse(process.argv[2] ?? '') as { url: string; folder: string }
const kernel = await createKernel({
  config: { data: folder, blobs: {}, database: { url } },
  log: silentLog,
  migrations: [],
})
const { group, vectors } = kernel
if (group === undefined) throw new Error('A PostgreSQL has a group.')
const server = createServer(async (request, response) => {
  const answer = await group.receive(await buffer(request))
  response.writeHead(answer === undefined ? 404 : 200).end(answer)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
group.announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
await kernel.start()

process.on('message', async ({ id, collection, vector, text }: NodeQuestion) => {
  const began = performance.now()
  const asked = { collections: [collection], vector: Float32Array.from(vector), text, limit: 10 }
  const answer = await vectors.search(asked).then(
    (hits) => ({ id, ms: performance.now() - began, found: hits.map(({ owner, ordinal }) => `${owner}/${ordinal}`) }),
    (error: unknown) => ({ id, ms: performance.now() - began, problem: String(error) }),
  )
  process.send?.(answer satisfies NodeAnswer)
})
process.send?.('ready')
