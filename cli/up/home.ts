// What each service tells a browser that opens its address.
import type { Home } from '@atoll/kernel/http/site/home'
import { nextSteps } from './next-steps.ts'
import type { Parts } from './parts.ts'

const about: Record<string, string> = {
  platform: 'The model API of this machine. Programs written for the hosted one work with it unchanged.',
  hooks: 'The webhook gateway of this machine: what is sent to it wakes an agent.',
  cluster: 'The Redis databases of this machine.',
}

export function homeOf({ config }: Parts, name: string, url: () => string): () => Home {
  return () => ({
    title: `Atoll ${name}`,
    about: about[name] ?? '',
    example: nextSteps({ services: [{ name, url: url() }] }, config)
      .slice(2)
      .join('\n')
      .trim(),
    links: [
      ...(name === 'platform'
        ? [{ path: '/console', text: 'The console: everything of this server, in the browser' }]
        : []),
      { path: '/docs', text: 'Every operation, to read and search' },
      { path: '/openapi.json', text: 'The same for programs (OpenAPI)' },
      { path: '/readyz', text: 'Whether it is ready' },
      { path: '/metrics', text: 'Figures for Prometheus' },
    ],
  })
}
