// Stands for JavaScript that got into a Python process: it tries everything, with what it could get hold of before and
// after the process was closed, and tells what came of it.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { closeHost } from '../child/close-host.ts'
import { sendReply } from '../child/pipes.ts'

const before = process
closeHost()

const connected = (host: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(before.argv[2] ?? 0), host, () => resolve('connected'))
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
  })

async function attempt(work: () => unknown): Promise<string> {
  try {
    return `got ${typeof (await work())}`
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    return code ?? name
  }
}

const found: Record<string, string> = {
  eval: await attempt(() => Reflect.get(globalThis, 'eval')('1')),
  Function: await attempt(() => new Function('return 1')()),
  import: await attempt(() => import('node:fs')),
  fetch: typeof globalThis.fetch,
  WebSocket: typeof globalThis.WebSocket,
  globals: Object.getOwnPropertyNames(globalThis.process).join(),
  read: await attempt(() => readFileSync('/etc/passwd')),
  list: await attempt(() => readdirSync('/')),
  write: await attempt(() => writeFileSync('/tmp/atoll-intruder', '')),
  spawn: await attempt(() => spawn('/bin/true')),
  Worker: await attempt(() => new Worker('1', { eval: true })),
  addon: await attempt(() => before.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6')),
  binding: await attempt(() => (before as unknown as { binding(name: string): unknown }).binding('tcp_wrap')),
  environment: Object.keys(before.env).sort().join(),
  user: String(before.getuid?.()),
  parent: String(before.ppid),
  connect: await connected('127.0.0.1'),
}
sendReply({ is: 'logs' }, Buffer.from(JSON.stringify(found)))
before.exit(0)
