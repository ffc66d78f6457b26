// What a swarm's description says of Raft, as etcd is told it. A tick is a tenth of a second: so a swarm's usual values
// are etcd's own. A member takes them on when it starts.
import { z } from 'zod'
import { invalidParameter } from '../../errors.ts'
import type { SwarmSpec } from '../../resources/swarm/schema.ts'

const whole = z.number().int().positive()

export const RaftValues = z.object({
  snapshotInterval: whole,
  /** With the newest. */
  snapshots: whole,
  heartbeatTick: whole,
  electionTick: whole,
})
export type RaftValues = z.output<typeof RaftValues>

const tickMs = 100
/** Both are etcd's limits. */
const smallestElection = 5
const longestElectionMs = 50_000

export const raftValuesOf = ({ Raft }: SwarmSpec): RaftValues | undefined =>
  Raft && {
    snapshotInterval: Raft.SnapshotInterval ?? 0,
    snapshots: (Raft.KeepOldSnapshots ?? 0) + 1,
    heartbeatTick: Raft.HeartbeatTick ?? 0,
    electionTick: Raft.ElectionTick ?? 0,
  }

/** Why etcd would not start with them. */
export function raftProblem(spec: Pick<SwarmSpec, 'Raft'>): string | undefined {
  const { success, data } = RaftValues.safeParse(raftValuesOf(spec as SwarmSpec))
  if (!success)
    return 'SnapshotInterval, HeartbeatTick and ElectionTick are at least 1, and KeepOldSnapshots at least 0'
  const { heartbeatTick, electionTick } = data
  if (electionTick < smallestElection * heartbeatTick) {
    return `ElectionTick must be at least ${smallestElection} times the HeartbeatTick, as etcd needs it`
  }
  return electionTick * tickMs > longestElectionMs
    ? `ElectionTick must be at most ${longestElectionMs / tickMs}, as etcd needs it`
    : undefined
}

/** An etcd that is not the engine's is set up by who runs it. */
export function expectUsualRaft({ Raft }: SwarmSpec, before: SwarmSpec): void {
  if (JSON.stringify(Raft) === JSON.stringify(before.Raft)) return
  throw invalidParameter('invalid Raft settings: the swarm is kept in an etcd outside, which is set up by who runs it')
}

export const raftArgs = ({ snapshotInterval, snapshots, heartbeatTick, electionTick }: RaftValues): string[] => [
  ...['--snapshot-count', String(snapshotInterval), '--max-snapshots', String(snapshots)],
  ...['--heartbeat-interval', String(heartbeatTick * tickMs), '--election-timeout', String(electionTick * tickMs)],
]
