// Kills, while the engine works, what stands between it and its containers: shims, and calls of the runtime half-way.
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Ledger } from './ledger.ts'

export type Target = 'shim' | 'runtime'

const mostKills = 3
/** A call of the runtime takes some hundredths of a second: it is looked for often. */
const longestPauseMs: Record<Target, number> = { shim: 400, runtime: 10 }

interface Victim {
  pid: number
  containerId: string
}

export class Saboteur {
  readonly kills: Record<Target, number> = { shim: 0, runtime: 0 }
  readonly #patterns: Record<Target, RegExp>
  readonly #ledger: Ledger

  /** `folder`: of the engine; every one of its processes has it in its command. */
  constructor(folder: string, ledger: Ledger) {
    this.#ledger = ledger
    this.#patterns = {
      shim: new RegExp(`/shim\\S* (?:run|exec) ${folder}/run/([0-9a-f]{64})/`),
      runtime: new RegExp(`/crun --root ${folder}/.* ([0-9a-f]{64})$`),
    }
  }

  /** Until the load is over, or it has done enough. */
  async work(target: Target, isOver: () => boolean): Promise<void> {
    for (let done = 0; done < mostKills && !isOver(); await pause(randomInt(1, longestPauseMs[target]))) {
      if (this.#killOne(target)) done++
    }
  }

  #killOne(target: Target): boolean {
    const found = victims(this.#patterns[target])
    const victim = found.length === 0 ? undefined : found[randomInt(found.length)]
    const known = this.#ledger.known.find(({ id }) => id !== undefined && id === victim?.containerId)
    if (victim === undefined || known === undefined) return false
    known.hurts++
    try {
      process.kill(victim.pid, 'SIGKILL')
    } catch {
      return false
    }
    this.kills[target]++
    return true
  }
}

/** Seen from outside the engine's machine: all its processes are here too. */
function victims(pattern: RegExp): Victim[] {
  return readdirSync('/proc').flatMap((name) => {
    const [, containerId] = /^\d+$/.test(name) ? (pattern.exec(commandOf(name)) ?? []) : []
    return containerId === undefined ? [] : [{ pid: Number(name), containerId }]
  })
}

/** Empty when it is gone. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd()
  } catch {
    return ''
  }
}
