// The table: medians of the rounds with their spread, and what ours is to dockerd's, beside the goal.
import { median, spreadPercent } from '../measure.ts'

export interface Row {
  title: string
  unit: 'ms' | 's' | 'µs' | 'req/s' | 'MB'
  /** Ours divided by dockerd's. */
  goal?: { most: number } | { least: number }
  /** In the row's own unit. */
  limit?: number
}

export type Rows = Readonly<Record<string, Row>>

const engineRows: Rows = {
  run: { title: 'docker run --rm busybox true', unit: 'ms', goal: { most: 0.5 } },
  start: { title: 'POST start', unit: 'ms', goal: { most: 0.35 } },
  exec: { title: 'exec: create, start, end', unit: 'ms', goal: { most: 0.6 } },
  stop: { title: 'stop, TERM handled', unit: 'ms', goal: { most: 0.5 } },
  'list 1': { title: 'list of 100, 1 connection', unit: 'req/s', goal: { least: 20 } },
  'list 8': { title: 'list of 100, 8 connections', unit: 'req/s', goal: { least: 20 } },
  inspect: { title: 'inspect, 8 connections', unit: 'req/s', goal: { least: 1 } },
  'inspect cpu': { title: 'processor time of an inspect', unit: 'µs', goal: { most: 1 } },
  event: { title: 'rename until its event', unit: 'ms', goal: { most: 1 } },
  load: { title: 'load of 200 MB', unit: 'ms', goal: { most: 0.7 } },
  restart: { title: 'start with 100 containers', unit: 'ms', goal: { most: 0.5 } },
  daemon: { title: 'memory with 100 containers', unit: 'MB', goal: { most: 1 } },
  keeper: { title: 'memory per running container', unit: 'MB', limit: 3 },
}

const titleWidth = 32
const cellWidth = 24

export class Figures {
  readonly #peers: readonly string[]
  readonly #rows: Rows
  readonly #values = new Map<string, number[]>()

  constructor(peers: readonly string[], rows = engineRows) {
    this.#peers = peers
    this.#rows = rows
  }

  note(name: string, peer: string, value: number | undefined): void {
    if (value === undefined) return
    const key = `${name} of ${peer}`
    this.#values.set(key, [...(this.#values.get(key) ?? []), value])
  }

  print(): void {
    console.log(`  ${''.padEnd(titleWidth)}${this.#peers.map((peer) => peer.padEnd(cellWidth)).join('')}to dockerd`)
    for (const [name, row] of Object.entries(this.#rows)) {
      const cells = this.#peers.map((peer) => this.#cell(name, peer, row).padEnd(cellWidth))
      console.log(`  ${row.title.padEnd(titleWidth)}${cells.join('')}${this.#verdict(name, row)}`)
    }
  }

  #cell(name: string, peer: string, { unit }: Row): string {
    const values = this.#values.get(`${name} of ${peer}`)
    if (values === undefined) return '-'
    return `${shown(median(values))} ${unit} ±${spreadPercent(values)} %`
  }

  #verdict(name: string, { goal, limit, unit }: Row): string {
    const ours = median(this.#values.get(`${name} of Atoll`) ?? [])
    if (limit !== undefined) return `(at most ${limit} ${unit}${ours <= limit ? '' : ', missed'})`
    const theirs = this.#values.get(`${name} of dockerd`)
    if (goal === undefined || theirs === undefined) return ''
    const ratio = ours / median(theirs)
    const isReached = 'most' in goal ? ratio <= goal.most : ratio >= goal.least
    const words = 'most' in goal ? `at most ${goal.most}` : `at least ${goal.least}`
    return `${ratio.toFixed(2)} (${words}${isReached ? '' : ', missed'})`
  }
}

const shown = (value: number): string => value.toFixed(value < 100 ? 1 : 0)
