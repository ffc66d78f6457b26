// Which of the services can run here, as this user, and how each is started.
import type { serviceNames } from '../config.ts'
import { missingForEngine } from '../programs/engine.ts'
import { findProgram } from '../programs/search.ts'
import type { Check } from './check.ts'

type Name = (typeof serviceNames)[number]

/** Why not; undefined where it can. */
const hindrances: Record<Name, () => string | undefined> = {
  platform: () => undefined,
  hooks: () => undefined,
  engine() {
    const lacking = missingForEngine()
    const install = lacking.length === 0 ? '' : `; apt-get install ${lacking.join(' ')}`
    if (process.getuid?.() !== 0) return `needs root: sudo ./atoll up --with engine${install}`
    return lacking.length === 0
      ? undefined
      : `apt-get install ${lacking.join(' ')} (done by the first start where it can)`
  },
  cluster() {
    const isThere = ['redis-server', 'valkey-server'].some((name) => findProgram(name) !== undefined)
    return isThere ? undefined : 'apt-get install redis-server'
  },
}

const commands: Record<Name, string> = {
  platform: './atoll up',
  hooks: './atoll up',
  engine: './atoll up --with engine',
  cluster: './atoll up --with cluster',
}

export function serviceChecks(): Check[] {
  return (Object.keys(hindrances) as Name[]).map((name) => {
    const why = hindrances[name]()
    const isUsual = name === 'platform' || name === 'hooks'
    const detail = why ?? `started by ${commands[name]}`
    return { what: name, need: isUsual ? 'all' : 'who wants it', state: why === undefined ? 'ok' : 'optional', detail }
  })
}
