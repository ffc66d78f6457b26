// Which services a start means: --only names all of them, --with adds to the usual ones, --all is every one.
import { ConfigError } from '@atoll/kernel/config/config-error'
import { nearestName } from '@atoll/kernel/config/nearest-name'
import { serviceNames } from '../config.ts'

type Name = (typeof serviceNames)[number]

export interface ServiceFlags {
  with?: string | undefined
  all?: boolean | undefined
}

/** In the order they are started. */
export function chosenServices(usual: readonly Name[], { with: added = '', all = false }: ServiceFlags): Name[] {
  const names = added.split(',').map((name) => name.trim())
  const wanted = names.filter((name) => name !== '')
  const problems = wanted.filter((name) => !isName(name)).map(unknownName)
  if (problems.length > 0) throw new ConfigError(problems)
  return serviceNames.filter((name) => all || usual.includes(name) || wanted.includes(name))
}

const isName = (name: string): name is Name => serviceNames.some((known) => known === name)

function unknownName(name: string): string {
  const nearest = nearestName(name, serviceNames)
  const advice = nearest === undefined ? `there are: ${serviceNames.join(', ')}` : `did you mean ${nearest}?`
  return `services: there is no service ${name}; ${advice} (--with)`
}
