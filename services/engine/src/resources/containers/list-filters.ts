// Which containers a list is about.
import { invalidParameter } from '../../errors.ts'
import type { Filters } from '../query/schema.ts'
import { type Container, isUp } from './container.ts'
import { readPorts } from './create-checks.ts'
import type { ContainerRecord } from './record.ts'
import { millisecondsOf } from './timestamps.ts'

export type Condition = (container: Container) => boolean

/** What filters have to look up elsewhere. */
export interface FilterSources {
  find(nameOrId: string): Container
  /** The ids of an image and of all that are made from it. Empty: there is no such image. */
  imagesFrom(reference: string): Promise<ReadonlySet<string>>
}

type Filter = (values: readonly string[], sources: FilterSources) => Condition | Promise<Condition>

const maxPatternLetters = 256
const statuses = ['created', 'restarting', 'running', 'removing', 'paused', 'exited', 'dead']
const healths = ['starting', 'healthy', 'unhealthy', 'none']

const some =
  (values: readonly string[], test: (record: ContainerRecord, value: string) => boolean): Condition =>
  ({ record }) =>
    values.some((value) => test(record, value))

function patternOf(text: string): RegExp | undefined {
  if (text.length > maxPatternLetters) return undefined
  // Nested repetition can take for ever: such a text is taken as it stands.
  if (/[+*}]\)?[+*{]|\)[+*{]/.test(text)) return undefined
  try {
    return new RegExp(text)
  } catch {
    return undefined
  }
}

function matcher(text: string): (value: string) => boolean {
  const pattern = patternOf(text)
  return pattern === undefined ? (value) => value.includes(text) : (value) => value === text || pattern.test(value)
}

const oneOf = (name: string, allowed: readonly string[], values: readonly string[]): void => {
  const odd = values.find((value) => !allowed.includes(value))
  if (odd !== undefined) throw invalidParameter(`invalid filter '${name}=${odd}': use one of ${allowed.join(', ')}`)
}

export function hasLabel(labels: Record<string, string> | undefined, asked: string): boolean {
  const mark = asked.indexOf('=')
  const name = mark < 0 ? asked : asked.slice(0, mark)
  // Every object has a `constructor`, which nobody labelled it with.
  if (labels === undefined || !Object.hasOwn(labels, name)) return false
  return mark < 0 || labels[name] === asked.slice(mark + 1)
}

const created = ({ record }: Container): number => Date.parse(record.created)

function portCondition(values: readonly string[], portsOf: (record: ContainerRecord) => string[]): Condition {
  const ranges = values.map((value) => {
    const range = readPorts(value)
    if (range === undefined) throw invalidParameter(`invalid port filter '${value}'`)
    return range
  })
  return ({ record }) =>
    portsOf(record)
      .map(readPorts)
      .some(
        (port) =>
          port !== undefined &&
          ranges.some(
            ({ first, last, protocol }) => port.protocol === protocol && port.first >= first && port.first <= last,
          ),
      )
}

const publishedPorts = ({ ports }: ContainerRecord): string[] =>
  Object.entries(ports).flatMap(([port, places]) =>
    (places ?? []).map(({ HostPort }) => `${HostPort}/${port.split('/')[1] ?? 'tcp'}`),
  )

const knownFilters: Record<string, Filter> = {
  id: (values) => {
    const matchers = values.map(matcher)
    return ({ id }) => matchers.some((matches) => matches(id))
  },
  name: (values) => {
    const matchers = values.map(matcher)
    return ({ record }) => matchers.some((matches) => matches(record.name) || matches(`/${record.name}`))
  },
  label:
    (values) =>
    ({ record }) =>
      values.every((value) => hasLabel(record.config.Labels, value)),
  exited(values) {
    const codes = values.map((value) => {
      if (!/^-?\d{1,10}$/.test(value)) throw invalidParameter(`invalid filter 'exited=${value}': not a number`)
      return Number(value)
    })
    return ({ state }) => !isUp(state) && millisecondsOf(state.startedAt) > 0 && codes.includes(state.exitCode)
  },
  status(values) {
    oneOf('status', statuses, values)
    return some(values, ({ state }, value) => state.status === value)
  },
  health(values) {
    oneOf('health', healths, values)
    return some(values, ({ state }, value) => (state.health?.Status ?? 'none') === value)
  },
  async ancestor(values, { imagesFrom }) {
    const sets = await Promise.all(values.map(imagesFrom))
    return some(
      values,
      ({ imageId, imageName }, value) => imageName === value || sets.some((images) => images.has(imageId)),
    )
  },
  before(values, { find }) {
    const other = created(find(values[0] ?? ''))
    return (container) => created(container) < other
  },
  since(values, { find }) {
    const other = created(find(values[0] ?? ''))
    return (container) => created(container) > other
  },
  volume: (values) =>
    some(values, ({ mounts }, value) =>
      mounts.some(({ Name, Source, Destination }) => [Name, Source, Destination].includes(value)),
    ),
  network: (values) =>
    some(values, ({ endpoints }, value) =>
      Object.entries(endpoints).some(
        ([name, { NetworkID = '' }]) => name === value || (value !== '' && NetworkID.startsWith(value)),
      ),
    ),
  publish: (values) => portCondition(values, publishedPorts),
  expose: (values) => portCondition(values, ({ config }) => Object.keys(config.ExposedPorts ?? {})),
  // ENG-295: there is one kind of isolation here.
  isolation: (values) => some(values, ({ hostConfig }, value) => (hostConfig.Isolation || 'default') === value),
  'is-task'(values) {
    const isAsked = values.map((value) => {
      if (/^(1|true|t)$/i.test(value)) return true
      if (/^(0|false|f)$/i.test(value)) return false
      throw invalidParameter(`invalid filter 'is-task=${value}'`)
    })
    return ({ record }) => isAsked.includes('com.docker.swarm.task.id' in (record.config.Labels ?? {}))
  },
}

/** All must hold. */
export async function conditionsOf(filters: Filters, sources: FilterSources): Promise<Condition[]> {
  const given = Object.entries(filters).filter(([, values]) => values.length > 0)
  return Promise.all(
    given.map(([name, values]) => {
      const filter = Object.hasOwn(knownFilters, name) ? knownFilters[name] : undefined
      if (filter === undefined) throw invalidParameter(`invalid filter '${name}'`)
      return filter(values, sources)
    }),
  )
}
