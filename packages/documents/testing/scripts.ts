// Small programs that tests write themselves, and whether they still run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect } from 'vitest'

/** The path of a shell script with these lines. */
export async function script(lines: string): Promise<string> {
  const path = join(await tempDir(), 'program')
  writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  return path
}

/** The numbers that a program writes into this file, on one line. */
export async function noted(path: string): Promise<number[]> {
  await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'), { timeout: 60_000 }).toBe(true)
  return readFileSync(path, 'utf8').trim().split(' ').map(Number)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
