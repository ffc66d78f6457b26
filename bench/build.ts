// docker build: cold, unchanged, with one file changed, and with a large context, side by side with dockerd's two builders.
// needs: root, crun, ip, nft, cc, docker, busybox
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isolatedHost } from '@atoll/engine/testing/isolated'
import { changeProject, makeBigContext, makeProject, makeStages } from './build/projects.ts'
import { makeBusybox } from './engine/images.ts'
import * as measures from './engine/measures.ts'
import { atoll, dockerd, type Peer } from './engine/peers.ts'
import { median, spreadPercent } from './measure.ts'

const run = promisify(execFile)
const rounds = 3
/** A round that would not end before this is not begun. */
const maxSeconds = 420
const parentFolder = '/tmp'
const timeoutMs = 300_000

/** An engine asked by one of its two protocols. */
interface Way {
  name: string
  peer: Peer
  isBuildKit: boolean
}

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(parentFolder, 'ab-'))
  const host = await isolatedHost()
  const peers: Peer[] = []
  try {
    await host.run('sh', ['-c', '[ ! -d /etc/docker ] || mount -t tmpfs tmpfs /etc/docker'])
    const client = await findClient()
    const busybox = await makeBusybox(folder)
    for (const peer of [atoll(host, folder), dockerd(host, folder)]) {
      await peer.start()
      peers.push(peer)
      await measures.send(peer, '/images/create?fromSrc=-&repo=busybox&tag=latest&changes=ENV%20PATH=/bin', busybox)
    }
    const ways = peers.flatMap((peer): Way[] => [
      ...(client.hasBuildKit ? [{ name: `${peer.name}, BuildKit`, peer, isBuildKit: true }] : []),
      { name: `${peer.name}, classic`, peer, isBuildKit: false },
    ])
    if (!client.hasBuildKit)
      console.log('  docker has no BuildKit client here (20.10, or the buildx plugin): classic only')
    await measure(ways, client.path, folder)
  } finally {
    for (const peer of peers) await peer.stop()
    await host.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** CLIs before 23 speak to both builders by themselves: the same client for all. */
async function findClient(): Promise<{ path: string; hasBuildKit: boolean }> {
  for (const path of ['docker', '/usr/bin/docker']) {
    const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: '' }))
    if (Number(/version (\d+)\./.exec(stdout)?.[1] ?? 99) < 23) return { path, hasBuildKit: true }
  }
  return { path: 'docker', hasBuildKit: false }
}

const rows = {
  cold: { title: '12 steps, 3 stages, cold', goal: 0.7 },
  same: { title: 'nothing changed', goal: 0.5 },
  changed: { title: 'one file changed', goal: 0.6 },
  'big cold': { title: '200 MB in 20,000 files, cold', goal: 0.7 },
  'big same': { title: '200 MB in 20,000 files, again', goal: 0.7 },
  stages: { title: 'two stages side by side' },
  turns: { title: 'the same, one after the other' },
} satisfies Record<string, { title: string; goal?: number }>

type Row = keyof typeof rows
type Values = Map<string, number[]>

interface Projects {
  small: string
  big: string
  stages: string
  turns: string
}

async function measure(ways: readonly Way[], docker: string, folder: string): Promise<void> {
  const projects = {
    ...{ small: makeProject(folder), big: makeBigContext(folder) },
    ...{ stages: makeStages(folder, false), turns: makeStages(folder, true) },
  }
  for (const way of ways) await build(way, docker, projects.small, false)
  const values: Values = new Map()
  const began = performance.now()
  let done = 0
  for (let longest = 0; done < rounds; done++) {
    const beganRound = performance.now()
    if ((beganRound - began + longest) / 1_000 > maxSeconds) break
    // Nobody is always the first.
    for (const at of ways.keys()) {
      const way = ways[(at + done) % ways.length]
      if (way !== undefined) await measureWay(way, docker, projects, values)
    }
    longest = Math.max(longest, performance.now() - beganRound)
  }
  if (done < rounds) console.log(`  This machine is slow or busy: medians of ${done} rounds, not of ${rounds}`)
  print(ways, values)
}

/**
 * One builder after the other does all of its rows: two builders of one engine may share a cache, and what prunes it for
 * the one would take it from the other.
 */
async function measureWay(way: Way, docker: string, projects: Projects, values: Values): Promise<void> {
  const env = envOf(way)
  const ids: string[] = []
  const timed = async (row: Row, context: string, isCold = false) => {
    // What was written before is no part of it.
    await run('sync', [], { timeout: timeoutMs })
    const { milliseconds, imageId } = await build(way, docker, context, isCold)
    const key = `${row} of ${way.name}`
    values.set(key, [...(values.get(key) ?? []), milliseconds])
    ids.push(imageId)
  }
  await run(docker, ['builder', 'prune', '-af'], { env, timeout: timeoutMs })
  await timed('cold', projects.small, true)
  await timed('same', projects.small)
  changeProject(projects.small)
  await timed('changed', projects.small)
  await timed('big cold', projects.big, true)
  await timed('big same', projects.big)
  await timed('stages', projects.stages, true)
  await timed('turns', projects.turns, true)
  await run(docker, ['rmi', '-f', ...new Set(ids)], { env, timeout: timeoutMs })
}

const envOf = ({ peer, isBuildKit }: Way) => ({
  ...process.env,
  ...peer.cliEnv,
  DOCKER_BUILDKIT: isBuildKit ? '1' : '0',
})

async function build(
  way: Way,
  docker: string,
  context: string,
  isCold: boolean,
): Promise<{ milliseconds: number; imageId: string }> {
  const began = performance.now()
  const { stdout } = await run(docker, ['build', '-q', ...(isCold ? ['--no-cache'] : []), context], {
    env: envOf(way),
    timeout: timeoutMs,
  })
  return { milliseconds: performance.now() - began, imageId: stdout.trim() }
}

const titleWidth = 32
const cellWidth = 24

function print(ways: readonly Way[], values: ReadonlyMap<string, number[]>): void {
  const names = ways.map(({ name }) => name)
  const builders = ['BuildKit', 'classic'].filter((builder) => names.includes(`Atoll, ${builder}`))
  console.log(`  ${''.padEnd(titleWidth)}${names.map((name) => name.padEnd(cellWidth)).join('')}ours to dockerd's`)
  for (const [row, { title, ...more }] of Object.entries(rows)) {
    const of = (name: string) => values.get(`${row} of ${name}`) ?? []
    const cells = names.map((name) =>
      `${median(of(name)).toFixed(0)} ms ±${spreadPercent(of(name))} %`.padEnd(cellWidth),
    )
    const ratios = builders.map((builder) => {
      const ratio = median(of(`Atoll, ${builder}`)) / median(of(`dockerd, ${builder}`))
      const isMissed = 'goal' in more && ratio > more.goal
      return `${builder} ${ratio.toFixed(2)}${isMissed ? ' (missed)' : ''}`
    })
    const goal = 'goal' in more ? `, at most ${more.goal}` : ''
    console.log(`  ${title.padEnd(titleWidth)}${cells.join('')}${ratios.join(', ')}${goal}`)
  }
  for (const { name } of ways) {
    const [side, turn] = ['stages', 'turns'].map((row) => median(values.get(`${row} of ${name}`) ?? []))
    console.log(
      `  ${name}: side by side takes ${((side ?? 0) / (turn ?? 1)).toFixed(2)} of one after the other (at most 0.6)`,
    )
  }
}
