// Headers of every response of the engine, errors too. Names of headers know no case: `Api-Version` is `API-Version`.
import { newestVersion } from '../../versions/version.ts'
import { engineVersion } from './engine-version.ts'

export const isExperimental = false

/** For `HttpService.responseHeaders`. */
export const engineHeaders: Readonly<Record<string, string>> = {
  'api-version': newestVersion,
  'docker-experimental': String(isExperimental),
  'vendor-experimental': String(isExperimental),
  ostype: 'linux',
  server: `Atoll/${engineVersion} (linux)`,
}
