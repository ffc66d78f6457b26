// Services and tasks.
import type { Boundary } from './boundary.ts'
import * as full from './full-answers.ts'
import { type Proof, proof } from './proof.ts'

const asking = ['POST /services/create', 'POST /services/:id/update'] as const

const valueAt = (place: string): unknown =>
  place.split('.').reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], full.taskTemplate)

/** Below `TaskTemplate`. */
const isField =
  (...places: string[]) =>
  async (at: Boundary): Promise<void> => {
    for (const place of places) {
      for (const route of asking) await at.takes(route, `TaskTemplate.${place}`, valueAt(place))
      await at.shows('GET /services/:id', `Spec.TaskTemplate.${place}`)
      await at.shows('GET /services', `0.Spec.TaskTemplate.${place}`)
      await at.shows('GET /tasks/:id', `Spec.${place}`)
      await at.shows('GET /tasks', `0.Spec.${place}`)
    }
  }

const isContainerField = (...places: string[]) => isField(...places.map((place) => `ContainerSpec.${place}`))

async function isServiceField(at: Boundary, ...places: string[]): Promise<void> {
  for (const place of places) {
    for (const route of asking) await at.takes(route, place, 1)
    await at.shows('GET /services/:id', `Spec.${place}`)
    await at.shows('GET /services', `0.Spec.${place}`)
  }
}

export const serviceProofs: Record<string, Proof> = {
  'Services have a terminal and settings for names.': proof('', isContainerField('TTY', 'DNSConfig')),
  'Tasks can be replaced without a change.': proof('', isField('ForceUpdate')),
  'Updates tell how much of them may fail.': proof('', (at) =>
    isServiceField(at, 'UpdateConfig.Monitor', 'UpdateConfig.MaxFailureRatio', 'UpdateConfig.MonitorMaxFailureRatio'),
  ),
  'Services are made and changed with warnings.': proof('', async (at) => {
    for (const route of asking) await at.tells(route, 'Warnings', undefined, null)
  }),
  'Files of a task may be read-only.': proof('', isContainerField('ReadOnly')),
  'Services tell how they go back.': proof('', (at) => isServiceField(at, 'RollbackConfig')),
  'An update that fails may go back by itself.': proof('', async (at) => {
    for (const route of asking) await at.takes(route, 'UpdateConfig.FailureAction', 'rollback')
    await at.tells('GET /services/:id', 'Spec.UpdateConfig.FailureAction', undefined, 'rollback')
  }),
  'Services can be filtered by mode.': proof('', (at) => at.filters('GET /services', 'mode')),
  'A service can be asked for with what holds by default.': proof('', (at) =>
    at.asks('GET /services/:id', 'insertDefaults', 'true'),
  ),
  'Tasks have privileges.': proof('', isContainerField('Privileges.SELinuxContext')),
  'Services say which platforms they are for.': proof('', isField('Placement.Platforms')),
  'A service may be a plugin.': proof('', isField('PluginSpec', 'Runtime')),
  'Tasks of Windows have an isolation.': proof('', isContainerField('Isolation')),
  'Ports of services can be of SCTP.': proof('', async (at) => {
    const [tcp, sctp] = [{ Protocol: 'tcp' }, { Protocol: 'sctp' }]
    for (const route of asking) {
      await at.body(route, { EndpointSpec: { Ports: [tcp, sctp] } }, 'EndpointSpec.Ports', [tcp], [tcp, sctp])
    }
  }),
  'Tasks may be attached containers.': proof('', isField('NetworkAttachmentSpec')),
  'Tasks have kernel parameters and configs that are not files.': proof(
    '',
    isContainerField('Sysctls', 'Configs.0.Runtime'),
  ),
  'Credentials of tasks may be in a config.': proof('', isContainerField('Privileges.CredentialSpec.Config')),
  'Services say how many of their tasks a node may have.': proof('', isField('Placement.MaxReplicas')),
  'Tasks have capabilities, limits, and mounts that leave out what is below.': proof(
    '',
    isContainerField(
      ...['CapabilityAdd', 'CapabilityDrop', 'CapAdd', 'CapDrop', 'Ulimits', 'Mounts.0.BindOptions.NonRecursive'],
    ),
  ),
  'Tasks have a limit of processes.': proof('', isField('Resources.Limits.Pids')),
  'Lists of services tell how many tasks run, when asked.': proof('', (at) =>
    at.asks('GET /services', 'status', 'true'),
  ),
  'There are services that come to an end.': proof('', async (at) => {
    for (const mode of ['ReplicatedJob', 'GlobalJob']) await at.takes(asking[0], `Mode.${mode}`, {})
    await at.shows('GET /services', '0.JobStatus')
    await at.shows('GET /tasks/:id', 'JobIteration')
  }),
  'Logs of services and tasks say whether they have frames; all were called raw.': proof('', (at) =>
    at.way('raw-stream-type', 'GET /services/:id/logs'),
  ),
  'Tasks have profiles of seccomp and AppArmor.': proof(
    '',
    isContainerField('Privileges.Seccomp', 'Privileges.AppArmor'),
  ),
  'Tasks have options for files in memory, and a score for when memory is out.': proof(
    '',
    isContainerField('Mounts.0.TmpfsOptions.Options', 'OomScoreAdj'),
  ),
}
