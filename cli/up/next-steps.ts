// What to do with each service that runs now, as commands to copy.
import type { AtollConfig } from '../config.ts'

/** One that runs. */
interface Service {
  name: string
  url: string
}

type Settings = Pick<AtollConfig, 'tls'> & { hooks: Pick<AtollConfig['hooks'], 'path'> }

export function nextSteps({ services }: { services: readonly Service[] }, { tls, hooks }: Settings): string[] {
  const curl = `  curl${tls === 'self-signed' ? ' --insecure' : ''} -H "Authorization: Bearer`
  const steps: Record<string, (url: string) => string[]> = {
    platform: (url) => [`${curl} $OPENAI_API_KEY" ${url}/v1/models`],
    hooks: (url) => [`${curl} $ATOLL_HOOKS_TOKEN" -d '{"text": "Hello."}' ${url}${hooks.path}/wake`],
    engine: (url) => [`  export DOCKER_HOST=${dockerHost(url)}`, '  docker info'],
    cluster: () => ['  ./atoll cluster create orders   # and then redis-cli, as it prints'],
  }
  // The engine may listen twice.
  const firsts = new Map(services.toReversed().map(({ name, url }) => [name, url]))
  const lines = services.flatMap(({ name, url }) => (firsts.get(name) === url ? (steps[name]?.(url) ?? []) : []))
  return lines.length === 0 ? [] : ['Then try:', '', ...lines, '']
}

/** As docker writes it. */
const dockerHost = (url: string): string => url.replace(/^unix:/, 'unix://').replace(/^http:/, 'tcp:')
