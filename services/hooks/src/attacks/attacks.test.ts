// The security record of such gateways, tried on this one: each row is an attack that worked elsewhere. What came of
// them is kept in reports/hooks-attacks.txt.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Attack } from './testing/attack.ts'
import { AttackedGateway } from './testing/attacked-gateway.ts'
import { onTheAgent } from './testing/on-the-agent.ts'
import { onTheMachine } from './testing/on-the-machine.ts'
import { onTheWayIn } from './testing/on-the-way-in.ts'

const attacks: readonly Attack[] = [...onTheWayIn, ...onTheAgent, ...onTheMachine]
const reports = join(import.meta.dirname, '..', '..', '..', '..', 'reports')
const startMs = 60_000

describe('an attack that worked elsewhere', { timeout: 120_000 }, () => {
  let gateway: AttackedGateway
  const table: string[] = []
  beforeAll(async () => {
    gateway = await AttackedGateway.open()
    gateway.model.script = () => 'HEARTBEAT_OK'
  }, startMs)
  afterAll(async () => {
    await gateway?.close()
    mkdirSync(reports, { recursive: true })
    writeFileSync(join(reports, 'hooks-attacks.txt'), `${table.join('\n\n')}\n`)
  })

  it('is on the list of fifteen', () => {
    expect(new Set(attacks.map(({ row }) => row)).size).toBe(15)
  })

  for (const { row, what, proves, attempt } of attacks) {
    it(`${row}: ${what}, and fails${proves === undefined ? '' : ` (${proves})`}`, async () => {
      table.push(`${row}\n  attack:  ${what}\n  outcome: ${await attempt(gateway)}`)
    })
  }
})
