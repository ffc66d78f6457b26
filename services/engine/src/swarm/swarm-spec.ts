// What can be set about a swarm: with what it is when nobody says, and within which limits.
import { invalidParameter } from '../errors.ts'
import type { SwarmSpec } from '../resources/swarm/schema.ts'
import { raftProblem } from './store/raft-values.ts'

const second = 1e9
const defaults = {
  taskHistory: 5,
  snapshotInterval: 10_000,
  slowFollowers: 500,
  electionTick: 10,
  heartbeatPeriod: 5 * second,
  certificateExpiry: 90 * 24 * 3600 * second,
}
const shortestExpiry = 3600 * second
const maxLabels = 1_000

/** Throws where a value is out of its limits. */
export function fillSpec(asked: SwarmSpec | undefined, before?: SwarmSpec): SwarmSpec {
  const given: Partial<SwarmSpec> = asked ?? {}
  const { Orchestration, Raft, Dispatcher, CAConfig, EncryptionConfig } = given
  if (given.Name !== undefined && given.Name !== '' && given.Name !== 'default') {
    throw invalidParameter(`invalid name "${given.Name}": the one swarm of a cluster is called default`)
  }
  if (Object.keys(given.Labels ?? {}).length > maxLabels) throw invalidParameter('too many labels')
  if ((CAConfig?.ExternalCAs ?? []).length > 0) {
    throw invalidParameter(
      'external certificate authorities are not supported: bring a certificate and its key instead',
    )
  }
  const expiry = CAConfig?.NodeCertExpiry || defaults.certificateExpiry
  if (expiry < shortestExpiry) throw invalidParameter('minimum certificate expiry time is: 1h0m0s')
  const history = Orchestration?.TaskHistoryRetentionLimit ?? defaults.taskHistory
  const heartbeat = Dispatcher?.HeartbeatPeriod || defaults.heartbeatPeriod
  if (heartbeat < 0) throw invalidParameter('heartbeat time period cannot be a negative duration')
  return {
    Name: 'default',
    Labels: given.Labels ?? {},
    Orchestration: { TaskHistoryRetentionLimit: history },
    Raft: fillRaft(Raft),
    Dispatcher: { HeartbeatPeriod: heartbeat },
    CAConfig: {
      NodeCertExpiry: expiry,
      ExternalCAs: undefined,
      SigningCACert: undefined,
      SigningCAKey: undefined,
      ForceRotate: CAConfig?.ForceRotate ?? before?.CAConfig?.ForceRotate,
    },
    EncryptionConfig: { AutoLockManagers: EncryptionConfig?.AutoLockManagers ?? false },
    TaskDefaults: given.TaskDefaults ?? { LogDriver: undefined },
  }
}

function fillRaft(asked: SwarmSpec['Raft']): SwarmSpec['Raft'] {
  const Raft = {
    SnapshotInterval: asked?.SnapshotInterval || defaults.snapshotInterval,
    KeepOldSnapshots: asked?.KeepOldSnapshots ?? 0,
    LogEntriesForSlowFollowers: asked?.LogEntriesForSlowFollowers || defaults.slowFollowers,
    ElectionTick: asked?.ElectionTick || defaults.electionTick,
    HeartbeatTick: asked?.HeartbeatTick || 1,
  }
  const problem = raftProblem({ Raft })
  if (problem !== undefined) throw invalidParameter(`invalid Raft settings: ${problem}`)
  return Raft
}
