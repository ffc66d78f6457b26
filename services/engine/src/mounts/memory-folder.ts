// A folder whose files are in memory alone: a tmpfs for the engine's own eyes.
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { runProgram } from '../network/program.ts'

const mountOptions = 'mode=0700,nosuid,nodev,noexec'

export class MemoryFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** What an engine that was killed had in it is still there. */
  async open(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    if (await this.#isMounted()) return
    await runProgram('mount', ['-t', 'tmpfs', '-o', mountOptions, 'tmpfs', this.path])
  }

  /** Containers that still have files from it keep them until they end. */
  async close(): Promise<void> {
    await runProgram('umount', ['--lazy', this.path]).catch(() => {})
  }

  async #isMounted(): Promise<boolean> {
    const [own, above] = await Promise.all([stat(this.path), stat(dirname(this.path))])
    return own.dev !== above.dev
  }
}
