// Compares the engine after a crash with what its clients know, and takes over what became of unanswered requests.
import { setTimeout as pause } from 'node:timers/promises'
import { type EngineClient, Refused } from '@atoll/engine/testing/engine-client'
import { allowed, counterExit, type Known, type Ledger, type Phase } from './ledger.ts'
import { counted } from './load.ts'

interface Inspection {
  Id: string
  State: { Status: string; ExitCode: number; Pid: number }
}

const logPatienceMs = 5_000
const removalPatienceMs = 10_000
const atOnce = 5

export async function verify(client: EngineClient, ledger: Ledger): Promise<void> {
  const listed = await client.ask<{ Id: string; Names: string[] }[]>('GET', '/containers/json?all=1')
  const names = new Set(ledger.known.map(({ name }) => name))
  for (const { Id, Names } of listed) {
    ledger.ids.add(Id)
    const name = Names[0]?.slice(1) ?? ''
    if (ledger.removed.has(Id)) ledger.complain({ name }, 'was removed and is back')
    else if (!names.has(name)) ledger.complain({ name }, 'is not known to anybody')
  }
  const left = [...ledger.known]
  const one = async (): Promise<void> => {
    for (let known = left.pop(); known !== undefined; known = left.pop()) await verifyOne(client, ledger, known)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

async function verifyOne(client: EngineClient, ledger: Ledger, known: Known): Promise<void> {
  const found = await inspect(client, known)
  const state = found && describe(found)
  const expected = allowed(known)
  if (!expected.includes(state)) {
    const before = `${known.phase ?? 'unknown'}, ${known.pending ?? 'nothing'} under way`
    ledger.complain(known, `is ${state ?? 'gone'}; it was ${before}`)
  }
  if (found === undefined || (state === 'removing' && (await goes(client, known)))) return ledger.gone(known)
  const isEnding = state === 'running' && known.pending === 'stop' && !(await countsOn(client, found.Id))
  if (isEnding) return verifyOne(client, ledger, known)
  takeOver(known, found)
  try {
    if (known.phase === 'running' && known.kind === 'counter') await verifyCounting(client, ledger, known)
    if (known.phase === 'exited') await verifyEnded(client, ledger, known, found.State.ExitCode)
  } catch (error) {
    if (known.kind === 'fleeting' && error instanceof Refused && error.status === 404) return ledger.gone(known)
    ledger.complain(known, String(error))
  }
}

/** From here on what was found is what is known. */
function takeOver(known: Known, { Id, State }: Inspection): void {
  known.id = Id
  known.phase = phaseOf(State.Status)
  known.ended = State.ExitCode
  known.hurts = 0
  known.isCutOff = known.phase !== 'running' && (known.isCutOff || known.pending === 'start')
  delete known.pending
}

/** Its stop may have reached it before the kill. Then it counts once more at most, and ends; that is waited for. */
async function countsOn(client: EngineClient, id: string): Promise<boolean> {
  try {
    await counted(client, id, (await counted(client, id)) + 1)
    return true
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    await client.ask('POST', `/containers/${id}/wait`)
    return false
  }
}

async function inspect(client: EngineClient, { id, name }: Known): Promise<Inspection | undefined> {
  try {
    return await client.ask<Inspection>('GET', `/containers/${id ?? name}/json`)
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  }
}

/** What the engine removes by itself is gone soon. */
async function goes(client: EngineClient, known: Known): Promise<boolean> {
  for (const deadline = performance.now() + removalPatienceMs; performance.now() < deadline; await pause(20)) {
    if ((await inspect(client, known)) === undefined) return true
  }
  return false
}

const describe = ({ State }: Inspection): string =>
  State.Status === 'exited' ? `exited ${State.ExitCode}` : State.Status

const phaseOf = (status: string): Phase => (status === 'running' || status === 'created' ? status : 'exited')

/** It still counts, and every line up to what it has counted is in its log. */
async function verifyCounting(client: EngineClient, ledger: Ledger, known: Known): Promise<void> {
  const count = await counted(client, known.id ?? '')
  known.isReady = true
  const deadline = performance.now() + logPatienceMs
  for (;;) {
    const runs = readRuns(await client.logs(known.id ?? ''))
    if (typeof runs === 'string') return ledger.complain(known, runs, 'log')
    const last = runs.at(-1)
    if (last !== undefined && !last.hasEnded && last.lines >= count) return
    if (performance.now() > deadline) return ledger.complain(known, `its log lacks lines before ${count}`, 'log')
    await pause(20)
  }
}

/** Those that ended as they should said all they had to say; what a start that was undone wrote has no end. */
async function verifyEnded(client: EngineClient, ledger: Ledger, known: Known, exitCode: number): Promise<void> {
  const text = await client.logs(known.id ?? '')
  const isWhole = exitCode === (known.kind === 'counter' ? counterExit : known.exitCode) && !known.isCutOff
  const runs = known.kind === 'counter' ? readRuns(text) : readBriefRuns(text)
  if (typeof runs === 'string') return ledger.complain(known, runs, 'log')
  if (isWhole && runs.at(-1)?.hasEnded !== true) {
    ledger.complain(known, `ended with ${exitCode}, its log with ${JSON.stringify(text.slice(-50))}`, 'log')
  }
}

interface CountedRun {
  lines: number
  hasEnded: boolean
}

/** `line 1` … `line n`, `end n` for each run; in words what is wrong with them otherwise. */
function readRuns(text: string): CountedRun[] | string {
  const runs: CountedRun[] = []
  for (const line of text.split('\n').filter(Boolean)) {
    const [, word, digits] = /^(line|end) (\d+)$/.exec(line) ?? []
    const number = Number(digits)
    const last = runs.at(-1)
    if (word === 'line' && number === 1) runs.push({ lines: 1, hasEnded: false })
    else if (word === 'line' && last?.hasEnded === false && number === last.lines + 1) last.lines = number
    // Asked to end between counting and writing, it has counted one more than it wrote.
    else if (word === 'end' && last?.hasEnded === false && number - last.lines <= 1) last.hasEnded = true
    else return `after ${JSON.stringify(last)} its log says ${JSON.stringify(line)}`
  }
  return runs
}

/** `begun`, `done` for each run. */
function readBriefRuns(text: string): Pick<CountedRun, 'hasEnded'>[] | string {
  if (!/^(begun\n(done\n)?)*$/.test(text)) return `its log is ${JSON.stringify(text)}`
  return [...text.matchAll(/begun\n(done\n)?/g)].map(([, done]) => ({ hasEnded: done !== undefined }))
}
