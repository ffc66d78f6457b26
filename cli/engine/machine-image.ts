// An image of this machine's own programs, for tests that may download nothing: busybox, Node, and a C compiler.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EngineServer } from './engine-server.ts'
import { runToEnd } from './run-to-end.ts'

const importTimeoutMs = 120_000
const said = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' }).trim()

/** `machine:latest`. */
export async function importMachine({ folder, env }: EngineServer): Promise<void> {
  const rootfs = join(folder, 'busybox')
  const add = (path: string, as = path) => {
    mkdirSync(dirname(join(rootfs, as)), { recursive: true })
    cpSync(realpathSync(path), join(rootfs, as), { recursive: true, dereference: true })
  }
  const programs = ['cc1', 'collect2', 'as', 'ld'].map((name) => said('gcc', `-print-prog-name=${name}`))
  const whole = programs.map((path) => (path.startsWith('/') ? path : said('sh', '-c', `command -v ${path}`)))
  for (const path of [...whole, '/usr/bin/gcc']) add(path)
  add(process.execPath, '/usr/local/bin/node')
  for (const path of new Set([...whole, '/usr/bin/gcc', process.execPath].flatMap(librariesOf))) add(path)
  for (const path of compilerFiles()) if (existsSync(path)) add(path)
  const archive = join(folder, 'machine.tar')
  const packed = await runToEnd('tar', ['--numeric-owner', '-C', rootfs, '-cf', archive, '.'], { env })
  const settings = ['--change', 'ENV PATH=/usr/local/bin:/usr/bin:/bin']
  const asked = ['import', ...settings, archive, 'machine:latest']
  const imported = await runToEnd('docker', asked, { env, timeoutMs: importTimeoutMs })
  const problem = [packed, imported].find(({ code }) => code !== 0)
  if (problem) throw new Error(`no image was made of this machine: ${problem.stderr}`)
}

/** What it is linked to, the loader among them. */
const librariesOf = (program: string): string[] =>
  [...said('ldd', program).matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)

/** Headers and libraries for static programs of plain C. */
function compilerFiles(): string[] {
  const own = dirname(said('gcc', '-print-libgcc-file-name'))
  const machine = dirname(said('gcc', '-print-file-name=libc.a'))
  const headers = '/usr/include'
  const local = join(headers, said('gcc', '-print-multiarch'))
  return [
    ...['liblto_plugin.so', 'crtbeginT.o', 'crtend.o', 'libgcc.a', 'libgcc_eh.a', 'include'].map((name) =>
      join(own, name),
    ),
    ...['crt1.o', 'crti.o', 'crtn.o', 'libc.a'].map((name) => join(machine, name)),
    ...readdirSync(headers)
      .filter((name) => name.endsWith('.h'))
      .map((name) => join(headers, name)),
    ...['bits', 'gnu', 'sys'].map((name) => join(local, name)),
  ]
}
