// Where the platform is that a command speaks to. One rule for all: OPENAI_* names a server that is used, as the openai
// packages read it; ATOLL_* are settings of a server that is started. ATOLL_URL was read once and counts where nothing
// else is said.
import { CommandProblem } from './command-problem.ts'

const defaultUrl = 'http://127.0.0.1:8080'

/** Without /v1 at its end, however it was given. `first` is asked before the other. */
export function platformAddress(
  given: string | undefined,
  env: NodeJS.ProcessEnv,
  first: 'OPENAI_BASE_URL' | 'ATOLL_URL' = 'OPENAI_BASE_URL',
): string {
  const second = first === 'ATOLL_URL' ? 'OPENAI_BASE_URL' : 'ATOLL_URL'
  return addressOf(given || env[first]?.trim() || env[second]?.trim() || defaultUrl)
}

function addressOf(given: string): string {
  const url = given.replace(/\/+$/, '').replace(/\/v1$/, '')
  const address = URL.parse(url)
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new CommandProblem(`${given} is not an address of a server; it looks like ${defaultUrl}/v1.`)
  }
  if (address.username !== '' || address.password !== '') {
    throw new CommandProblem('the address may not hold a password: keys have variables of their own.')
  }
  return url
}
