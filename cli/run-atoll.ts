// For tests: a command of ./atoll as a person gives it, to its end.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from './places.ts'

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** Variables of this shell that begin like settings or keys are left out. */
export async function runAtoll(
  args: string[],
  env: Record<string, string> = {},
  { input = '', user, cwd }: { input?: string; user?: number; cwd?: string } = {},
): Promise<Ended> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(ATOLL|OPENAI)_/.test(name))
  const child = spawn(join(root, 'atoll'), args, {
    env: { ...Object.fromEntries(kept), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
  child.stdin.on('error', () => undefined).end(input)
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, out, err }
}
