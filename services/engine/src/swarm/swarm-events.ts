// What happens in a swarm, told as events: made from what its store was told, so every manager tells the same.
import type { EngineEvents } from '../events/engine-events.ts'
import type { Changed, SwarmStore } from './store/swarm-store.ts'

const told = ['node', 'service', 'secret', 'config', 'volume'] as const
type ToldKind = (typeof told)[number]

const isTold = (kind: string): kind is ToldKind => told.some((each) => each === kind)

export function tellEvents(store: SwarmStore, events: EngineEvents): void {
  store.listen((change) => {
    const { kind, id, before, after } = change
    if (!isTold(kind)) return
    const end = kind === 'volume' ? 'destroy' : 'remove'
    const action = before === undefined ? 'create' : after === undefined ? end : 'update'
    events.emit(kind, action, id, { name: nameOf(after ?? before), ...changesOf(change) }, 'swarm')
  })
}

function nameOf(object: Changed['after']): string {
  const { Spec, Description, name } = (object ?? {}) as {
    Spec?: { Name?: string }
    Description?: { Hostname: string }
    name?: string
  }
  return Spec?.Name || Description?.Hostname || name || ''
}

interface Followed {
  Spec?: {
    Availability?: string
    Role?: string
    TaskTemplate?: { ContainerSpec?: { Image?: string } }
    Mode?: { Replicated?: { Replicas?: number } }
  }
  Status?: { State?: string }
  UpdateStatus?: { State?: string }
}

/** What somebody who listens may want to know of an update. */
const followed: [string, (object: Followed) => string | number | undefined][] = [
  ['availability', ({ Spec }) => Spec?.Availability],
  ['role', ({ Spec }) => Spec?.Role],
  ['state', ({ Status }) => Status?.State],
  ['image', ({ Spec }) => Spec?.TaskTemplate?.ContainerSpec?.Image],
  ['replicas', ({ Spec }) => Spec?.Mode?.Replicated?.Replicas],
  ['updatestate', ({ UpdateStatus }) => UpdateStatus?.State],
]

function changesOf({ before, after }: Changed): Record<string, string> {
  if (before === undefined || after === undefined) return {}
  return Object.fromEntries(
    followed.flatMap(([name, read]) => {
      const [old, now] = [read(before as Followed), read(after as Followed)]
      if (old === now) return []
      const attributes: [string, string][] = now === undefined ? [] : [[`${name}.new`, String(now)]]
      return old === undefined ? attributes : [...attributes, [`${name}.old`, String(old)] as [string, string]]
    }),
  )
}
