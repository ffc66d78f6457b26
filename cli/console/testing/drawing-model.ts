// A model server that has Python draw a picture, and then says so: small models do that only now and then.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/** A red square of 24 by 24 pixels, by what Python itself has. */
const code = `
import struct, zlib
size = 24
def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
rows = (b'\\0' + b'\\xff\\0\\0' * size) * size
png = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', size, size, 8, 2, 0, 0, 0))
open('/mnt/data/square.png', 'wb').write(png + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
print('drawn')
`.trim()

const call = { name: 'code_interpreter', arguments: JSON.stringify({ code }) }
const asking = { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }

/** Listens on a port of its own. */
export async function startDrawingModel(): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify({ object: 'list', data: [] })) // is it there?
    const { messages } = JSON.parse(await text(request)) as { messages: { role: string }[] }
    const isDrawn = messages.some(({ role }) => role === 'tool')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk(isDrawn ? { content: 'Here is the square.' } : asking))
    response.write(chunk({}, isDrawn ? 'stop' : 'tool_calls'))
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() }
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const usage = finish === null ? null : { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'drawing', choices, usage })}\n\n`
}
