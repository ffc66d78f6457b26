// Swarms: tasks of a service, the leader's and a worker's death, lists, side by side with dockerd; and many workers.
// needs: root, wrk, crun, ip, nft, cc, docker, busybox, etcd
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Figures, type Rows } from './engine/figures.ts'
import { makeBusybox } from './engine/images.ts'
import { atoll, dockerd } from './engine/peers.ts'
import { requireWrk } from './measure.ts'
import { allRunning, listRate, movedAway, nextWrite } from './swarm/measures.ts'
import { measureScale } from './swarm/scale.ts'
import { type Several, startSeveral } from './swarm/several.ts'

const rounds = 3
/** Linux takes no socket paths of more than 107 bytes, whatever TMPDIR says. */
const parentFolder = '/tmp'

const rows: Rows = {
  running: { title: '20 tasks on 3 nodes run', unit: 'ms', goal: { most: 0.6 } },
  write: { title: 'leader killed, next write', unit: 's', limit: 3 },
  moved: { title: 'worker killed, tasks elsewhere', unit: 's', goal: { most: 1 } },
  list: { title: 'list of 1,000 services', unit: 'req/s', goal: { least: 5 } },
}

/** One engine after the other: together they would have too little of the machine. */
export async function bench(): Promise<void> {
  requireWrk()
  const folder = await mkdtemp(join(parentFolder, 'ab-'))
  try {
    const busybox = await makeBusybox(folder)
    const figures = new Figures(['Atoll', 'dockerd'], rows)
    for (const make of [atoll, dockerd]) {
      const several = await started(() => startSeveral(make, join(folder, make.name), busybox))
      if (several !== undefined) await measure(several, figures).finally(() => several.stop())
    }
    figures.print()
    await measureScale(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Undefined, with a notice, where dockerd cannot run. */
async function started(start: () => Promise<Several>): Promise<Several | undefined> {
  try {
    return await start()
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n')
    console.log(`  An engine cannot form a swarm here and is left out: ${reason}`)
    return undefined
  }
}

async function measure(several: Several, figures: Figures): Promise<void> {
  const note = (name: string, value: number | undefined) => figures.note(name, several.name, value)
  for (let round = 0; round < rounds; round++) note('running', await allRunning(several))
  for (let round = 0; round < rounds; round++) note('write', await nextWrite(several, round))
  note('list', await listRate(several))
  note('moved', await movedAway(several))
}
