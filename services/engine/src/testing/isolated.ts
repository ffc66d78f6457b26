// A machine of its own for tests that make links, rules or containers: new network, mount and process namespaces.
// Ending it (or the test process, however that ends) ends every process inside.
//
//   const host = await isolatedHost()
//   await host.run('ip', ['link'])                                 a program, to its end
//   const engine = host.spawn(process.execPath, ['main.ts'])       a program that goes on; `engine.kill()`
//   const inside = await host.module<typeof import('./x.ts')>(new URL('./x.ts', import.meta.url))
//   await inside.someFunction(1, 'two')                            runs there; what goes in and out is plain JSON
//   await host.stop()
//
// Files and unix sockets are the same inside and outside; process ids, interfaces and mounts are not.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** The functions of a module, each answering by a promise. */
export type Calls<M> = {
  [K in keyof M as M[K] extends (...args: never[]) => unknown ? K : never]: M[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never
}

export interface IsolatedProcess {
  child: ChildProcess
  /** Its id outside; what is inside knows it by another. */
  pid: number
  kill(signal?: NodeJS.Signals): void
  /** Resolves with its exit code. */
  ended: Promise<number>
}

export interface IsolatedHost {
  /** Of its first process, as it is known outside: whose namespaces they are. */
  pid: number
  run(command: string, args?: readonly string[], options?: { input?: string; timeoutMs?: number }): Promise<Ended>
  spawn(command: string, args?: readonly string[], options?: { env?: NodeJS.ProcessEnv }): Promise<IsolatedProcess>
  module<M>(url: URL): Promise<Calls<M>>
  stop(): Promise<void>
}

/** First process inside: lives as long as its input, and collects orphans. */
const keeper = 'ip link set lo up && echo ready && read -r forever'
const runTimeoutMs = 30_000

export async function isolatedHost(): Promise<IsolatedHost> {
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child=KILL']
  const unshare = spawn('unshare', [...namespaces, '--', 'bash', '-c', keeper], { stdio: ['pipe', 'pipe', 'inherit'] })
  await Promise.race([
    once(unshare.stdout, 'data'),
    once(unshare, 'exit').then(([code]) => Promise.reject(new Error(`unshare ended with ${code}`))),
  ])
  const first = onlyChild(unshare.pid)
  const enter = ['--target', String(first), '--net', '--mount', '--pid', '--']
  return {
    pid: first,
    run: (command, args = [], options = {}) =>
      toItsEnd(spawn('nsenter', [...enter, command, ...args], { stdio: 'pipe' }), options),
    async spawn(command, args = [], options = {}) {
      const env = { ...process.env, ...options.env }
      const child = spawn('nsenter', [...enter, command, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
      await once(child, 'spawn')
      return goingOn(child)
    },
    module: async (url) => callModule(enter, url),
    async stop() {
      if (unshare.exitCode !== null || unshare.signalCode !== null) return
      unshare.stdin.end()
      await once(unshare, 'exit')
    },
  }
}

function onlyChild(parent: number | undefined): number {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ')
  const [child] = children.map(Number)
  if (child === undefined || child === 0) throw new Error(`process ${parent} has no child`)
  return child
}

async function goingOn(child: ChildProcess): Promise<IsolatedProcess> {
  const ended = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : 137))
  const pid = await soon(() => onlyChild(child.pid))
  return { child, pid, ended, kill: (signal = 'SIGKILL') => void process.kill(pid, signal) }
}

/** nsenter forks a moment after it was spawned. */
async function soon<T>(look: () => T, triesLeft = 200): Promise<T> {
  try {
    return look()
  } catch (problem) {
    if (triesLeft === 0) throw problem
    await new Promise((resolve) => setTimeout(resolve, 5))
    return soon(look, triesLeft - 1)
  }
}

async function toItsEnd(child: ChildProcess, options: { input?: string; timeoutMs?: number }): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin?.on('error', () => {})
  child.stdin?.end(options.input ?? '')
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? runTimeoutMs)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return { code: typeof code === 'number' ? code : 137, stdout, stderr }
}

async function callModule<M>(enter: readonly string[], url: URL): Promise<Calls<M>> {
  const runner = new URL('./isolated-module.ts', import.meta.url).pathname
  const child = spawn('nsenter', [...enter, process.execPath, runner, url.href], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(problem: Error): void }>()
  child.on('message', ({ id, value, problem }: { id: number; value?: unknown; problem?: string }) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (problem === undefined) call?.resolve(value)
    else call?.reject(new Error(problem))
  })
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the isolated module ended with ${code}`))
  })
  let nextId = 0
  const call = (name: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = nextId++
      waiting.set(id, { resolve, reject })
      child.send({ id, name, args })
    })
  const calls = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'then' || typeof name === 'symbol' ? undefined : (...args: unknown[]) => call(name, args),
    },
  )
  return calls as Calls<M>
}
