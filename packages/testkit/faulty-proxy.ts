// Stands between a client and its server and does to requests what networks and servers do.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterTest } from './after-tests.ts'

/** `cut`: the answer ends after so many bytes of its body. */
export type Fault = { status: number; code?: string } | { cut: number } | 'reset' | 'silence'

export interface FaultyProxy {
  endpoint: string
  /** Every request that came, as `PUT /bucket/key?partNumber=1`. */
  readonly seen: { line: string; headers: IncomingMessage['headers'] }[]
  /** Asked for every request; undefined lets it through. */
  fault: (line: string) => Fault | undefined
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const proxy: FaultyProxy = { endpoint: '', seen: [], fault: () => undefined }
  const server = createServer({ requestTimeout: 0 }, (req, res) => {
    const line = `${req.method} ${req.url}`
    proxy.seen.push({ line, headers: req.headers })
    handle(target, proxy.fault(line), req, res)
  })
  server.on('checkContinue', (req, res) => {
    res.writeContinue()
    server.emit('request', req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterTest(() => {
    server.closeAllConnections()
    server.close()
  })
  return proxy
}

function handle(target: string, fault: Fault | undefined, req: IncomingMessage, res: ServerResponse): void {
  if (fault === 'silence') return
  if (fault === 'reset') {
    req.socket.destroy()
    return
  }
  if (fault !== undefined && 'status' in fault) {
    req.resume().on('end', () => {
      res.writeHead(fault.status, { 'content-type': 'application/xml' })
      res.end(`<?xml version="1.0"?><Error><Code>${fault.code ?? 'InternalError'}</Code><Message>no</Message></Error>`)
    })
    return
  }
  const { expect: _, ...headers } = req.headers
  const forwarded = request(target + req.url, { method: req.method, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    if (fault === undefined) answer.pipe(res)
    else cutAfter(fault.cut, answer, res)
  })
  forwarded.on('error', () => res.destroy())
  req.pipe(forwarded)
}

function cutAfter(bytes: number, answer: IncomingMessage, res: ServerResponse): void {
  let left = bytes
  answer.on('data', (chunk: Buffer) => {
    const piece = chunk.subarray(0, left)
    left -= piece.length
    res.write(piece, () => {
      if (left === 0) res.destroy()
    })
    if (left === 0) answer.destroy()
  })
  answer.on('end', () => res.end())
}
