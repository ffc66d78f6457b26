// What machines have that an engine knows nothing of: graphics cards by their names, licences by their number. A machine
// offers them (`GPU=card0`, `GPU=card1`, `licence=3`), services reserve some by number, and tasks are told which they have.
import type { GenericResource } from '../resources/services/schema.ts'

/** Reads what an engine is set to offer. A string says what is wrong with it. */
export function readGenericResources(lines: readonly string[]): GenericResource[] | string {
  const found: GenericResource[] = []
  for (const line of lines) {
    const [Kind = '', value = ''] = line.split('=')
    const others = found.filter((one) => kindOf(one) === Kind)
    const isNumber = /^\d{1,15}$/.test(value)
    if (others.some((one) => isNumber || one.NamedResourceSpec === undefined)) {
      return `${Kind} is offered by number and again: give one number, or a name for each`
    }
    if (others.some((one) => one.NamedResourceSpec?.Value === value)) return `${line} is offered twice`
    found.push(
      isNumber
        ? { DiscreteResourceSpec: { Kind, Value: Number(value) } }
        : { NamedResourceSpec: { Kind, Value: value } },
    )
  }
  return found
}

export const kindOf = ({ NamedResourceSpec, DiscreteResourceSpec }: GenericResource): string =>
  NamedResourceSpec?.Kind ?? DiscreteResourceSpec?.Kind ?? ''

/** What a task gets of what is left; undefined: there is not enough of something. */
export function assignGeneric(
  offered: readonly GenericResource[],
  given: readonly GenericResource[],
  wanted: readonly GenericResource[],
): GenericResource[] | undefined {
  const assigned: GenericResource[] = []
  for (const { DiscreteResourceSpec } of wanted) {
    const { Kind = '', Value: count = 0 } = DiscreteResourceSpec ?? {}
    const part = take(offered, [...given, ...assigned], Kind, count)
    if (part === undefined) return undefined
    assigned.push(...part)
  }
  return assigned
}

function take(
  offered: readonly GenericResource[],
  given: readonly GenericResource[],
  Kind: string,
  count: number,
): GenericResource[] | undefined {
  const ofKind = (all: readonly GenericResource[]) => all.filter((one) => kindOf(one) === Kind)
  const taken = new Set(ofKind(given).map(({ NamedResourceSpec }) => NamedResourceSpec?.Value))
  const named = ofKind(offered).filter(({ NamedResourceSpec: name }) => name !== undefined && !taken.has(name.Value))
  if (named.length > 0) return named.length < count ? undefined : named.slice(0, count)
  const sum = (all: readonly GenericResource[]) =>
    ofKind(all).reduce((total, { DiscreteResourceSpec }) => total + (DiscreteResourceSpec?.Value ?? 0), 0)
  return sum(offered) - sum(given) < count ? undefined : [{ DiscreteResourceSpec: { Kind, Value: count } }]
}

/** As tasks find it in their environment: `DOCKER_RESOURCE_GPU=card0,card1`. */
export function genericEnvironment(assigned: readonly GenericResource[]): string[] {
  const values = new Map<string, string[]>()
  for (const one of assigned) {
    const value = one.NamedResourceSpec?.Value ?? String(one.DiscreteResourceSpec?.Value ?? 0)
    values.set(kindOf(one), [...(values.get(kindOf(one)) ?? []), value])
  }
  return [...values].map(([kind, all]) => `DOCKER_RESOURCE_${kind.toUpperCase()}=${all.join(',')}`)
}
