// The one thread that writes: to one file, until that is closed, and then to the next, if there is one. Its imports are
// few because every thread pays for its own.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { settleMemorySoon } from '../../telemetry/settle-memory.ts'
import type { Request } from './protocol.ts'
import { Writing } from './writing.ts'

if (!parentPort) throw new Error('the writer runs as a worker thread')
const port = parentPort
let writing = open(workerData as string)

port.on('message', (request: Request) => {
  handle(request)
  while (writing.wantsMore) {
    const next = receiveMessageOnPort(port)
    if (!next) break
    handle(next.message)
  }
  writing.settle()
})

function open(file: string): Writing {
  const opened = new Writing(file, (reply) => port.postMessage(reply))
  port.postMessage({ kind: 'opened' })
  return opened
}

function handle(request: Request): void {
  if (request.kind === 'open') writing = open(request.file)
  else if (request.kind === 'close') close(request.stay)
  else writing.handle(request)
}

function close(stay: boolean): void {
  writing.close()
  if (stay) port.postMessage({ kind: 'closed' })
  else port.close()
}

settleMemorySoon()
