// What a description refers to by name or id: networks, secrets and configs have to be there.
import { invalidParameter } from '../../errors.ts'
import type { SwarmStore } from '../../swarm/store/swarm-store.ts'
import type { ServiceSpec } from './schema.ts'

/** By id, name or the beginning of an id; throws where there is none. */
export type FindNetwork = (name: string) => { id: string }

export function checkReferences({ TaskTemplate }: ServiceSpec, store: SwarmStore): void {
  const { Secrets = [], Configs = [], Privileges } = TaskTemplate?.ContainerSpec ?? {}
  for (const { SecretID = '', SecretName = '' } of Secrets) {
    const found = store.get('secret', SecretID)
    if (found === undefined) throw invalidParameter(`secret not found: ${SecretName || SecretID}`)
    if (found.Spec.Name !== SecretName) throw invalidParameter(`secret ${SecretID} is not called ${SecretName}`)
  }
  for (const { ConfigID = '', ConfigName = '' } of Configs) {
    const found = store.get('config', ConfigID)
    if (found === undefined) throw invalidParameter(`config not found: ${ConfigName || ConfigID}`)
    if (found.Spec.Name !== ConfigName) throw invalidParameter(`config ${ConfigID} is not called ${ConfigName}`)
  }
  const credentials = Privileges?.CredentialSpec?.Config
  if (credentials && store.get('config', credentials) === undefined) {
    throw invalidParameter(`config not found: ${credentials}`)
  }
}

/** Networks by their ids, below the task (ENG-515, ENG-582); older callers name them beside it. */
export function withNetworks(spec: ServiceSpec, find: FindNetwork): ServiceSpec {
  const asked = spec.TaskTemplate?.Networks ?? spec.Networks
  if (asked === undefined || spec.TaskTemplate === undefined) return spec
  const Networks = asked.map((network) => ({ ...network, Target: find(network.Target ?? '').id }))
  return { ...spec, Networks: undefined, TaskTemplate: { ...spec.TaskTemplate, Networks } }
}
