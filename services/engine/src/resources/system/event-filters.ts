// Which events a caller wants. Filters of different names must all fit; of one name's values, any (of labels, all).

import { invalidParameter } from '../../errors.ts'
import type { EngineEvent, EventType } from '../../events/engine-events.ts'
import type { Filters } from '../query/schema.ts'

type Fits = (event: EngineEvent, values: readonly string[]) => boolean

const anyOf =
  (fits: (event: EngineEvent, value: string) => boolean): Fits =>
  (event, values) =>
    values.some((value) => fits(event, value))

/** By id, by the beginning of an id, or by name. */
const named = (type: EventType): Fits =>
  anyOf(({ Type, Actor: { ID, Attributes } }, value) => {
    if (Type !== type || value === '') return false
    return ID === value || Attributes.name === value || ID.startsWith(value)
  })

const withoutTag = (name: string): string => name.replace(/:[^/:]*$/, '')

/** Of images themselves, and of containers made from them; with a tag or without. */
const ofImage = anyOf(({ Type, Actor: { ID, Attributes } }, value) => {
  if (Type !== 'image' && Type !== 'container') return false
  const names = Type === 'image' ? [ID, Attributes.name] : [Attributes.image]
  return names.some((name) => name !== undefined && (name === value || withoutTag(name) === withoutTag(value)))
})

/** `exec_create: sh -c true` is asked for as `exec_create`, or in full. */
const ofAction = anyOf(({ Action }, value) => Action === value || Action.startsWith(`${value}:`))

const labelled: Fits = ({ Actor: { Attributes } }, values) =>
  values.every((value) => {
    const equals = value.indexOf('=')
    if (equals < 0) return Object.hasOwn(Attributes, value)
    const name = value.slice(0, equals)
    return Object.hasOwn(Attributes, name) && Attributes[name] === value.slice(equals + 1)
  })

const conditions: Record<string, Fits> = {
  type: anyOf(({ Type }, value) => Type === value),
  event: ofAction,
  scope: anyOf(({ scope }, value) => scope === value),
  label: labelled,
  image: ofImage,
  container: named('container'),
  network: named('network'),
  volume: named('volume'),
  daemon: named('daemon'),
  plugin: named('plugin'),
  service: named('service'),
  node: named('node'),
  secret: named('secret'),
  config: named('config'),
}

export function eventFilter(filters: Filters): (event: EngineEvent) => boolean {
  const asked = Object.entries(filters).map(([name, values]) => {
    const fits = Object.hasOwn(conditions, name) ? conditions[name] : undefined
    if (fits === undefined) throw invalidParameter(`invalid filter '${name}'`)
    return { fits, values }
  })
  const given = asked.filter(({ values }) => values.length > 0)
  return (event) => given.every(({ fits, values }) => fits(event, values))
}
