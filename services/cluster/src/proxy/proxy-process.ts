// The process of one endpoint. It outlives the cluster's own, so that databases go on when that is restarted.
//   node proxy-process.ts CONFIG
import { readFileSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type Answer, Order, ProxyConfig } from './control.ts'
import { Endpoint } from './endpoint.ts'

const [, , configPath = ''] = process.argv
const config = ProxyConfig.parse(JSON.parse(readFileSync(configPath, 'utf8')))
const { target, credentials, maxClients, tls } = config
const endpoint = new Endpoint({ target, credentials, maxClients, ...(tls && { tls }) })
await endpoint.listen(config.listen.host, config.listen.port)
await rm(config.control, { force: true })
const control = createServer((socket) => serve(socket))
control.listen(config.control, () => {
  void chmod(config.control, 0o600)
  process.send?.('ready')
  if (process.connected) process.disconnect()
})
process.on('SIGTERM', () => void stop())
process.on('SIGHUP', () => undefined)

function serve(socket: Socket): void {
  socket.on('error', () => undefined)
  createInterface({ input: socket }).on('line', (line) => {
    void obey(line).then((answer) => socket.write(`${JSON.stringify(answer)}\n`))
  })
}

async function obey(line: string): Promise<Answer> {
  try {
    return { ok: true, result: await carryOut(Order.parse(JSON.parse(line))) }
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) }
  }
}

async function carryOut(order: Order): Promise<unknown> {
  switch (order.order) {
    case 'status':
      return { pid: process.pid, target: endpoint.target, clients: endpoint.clients, listen: config.listen }
    case 'hand-over':
      return endpoint.handOver(order.replica, order.deadlineMs, order.replication)
    case 'redirect':
      return endpoint.redirect(order.target)
    case 'stop':
      setImmediate(() => void stop())
      return undefined
  }
}

async function stop(): Promise<void> {
  control.close()
  await rm(config.control, { force: true })
  await endpoint.close()
  process.exit(0)
}
