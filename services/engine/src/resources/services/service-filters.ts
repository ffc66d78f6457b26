// Which services a list is about.
import { invalidParameter } from '../../errors.ts'
import { hasLabel, refuseUnknown } from '../nodes/node-filters.ts'
import type { Filters } from '../query/schema.ts'
import type { Service } from './schema.ts'

const modes = ['replicated', 'global', 'replicated-job', 'global-job']

export function modeOf({ Spec: { Mode } }: Pick<Service, 'Spec'>): string {
  if (Mode?.Global !== undefined) return 'global'
  if (Mode?.GlobalJob !== undefined) return 'global-job'
  return Mode?.ReplicatedJob === undefined ? 'replicated' : 'replicated-job'
}

export function serviceFilter(filters: Filters): (service: Service) => boolean {
  refuseUnknown(filters, ['id', 'label', 'mode', 'name', 'runtime'])
  const { id = [], label = [], mode = [], name = [], runtime = [] } = filters
  const odd = mode.find((one) => !modes.includes(one))
  if (odd !== undefined) throw invalidParameter(`invalid filter 'mode=${odd}'`)
  return (service) =>
    (id.length === 0 || id.some((start) => service.ID.startsWith(start))) &&
    (name.length === 0 || name.some((start) => service.Spec.Name?.startsWith(start) === true)) &&
    (mode.length === 0 || mode.includes(modeOf(service))) &&
    (runtime.length === 0 || runtime.includes(service.Spec.TaskTemplate?.Runtime || 'container')) &&
    label.every((asked) => hasLabel(service.Spec.Labels ?? {}, asked))
}
