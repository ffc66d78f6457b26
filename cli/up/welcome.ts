// What a person sees once Atoll is up.
import { join } from 'node:path'
import { certificateName } from '@atoll/kernel/http/server/self-signed'
import type { AtollConfig } from '../config.ts'
import type { Running } from './compose.ts'
import { nextSteps } from './next-steps.ts'

type Started = Pick<Running, 'services' | 'firstKeys' | 'problems' | 'notes'>

type Shown = Pick<AtollConfig, 'tls' | 'data'> & {
  platform: Pick<AtollConfig['platform'], 'chatModel'>
  hooks: Pick<AtollConfig['hooks'], 'path'>
}

export function welcome(running: Started, config: Shown): string {
  const addresses = running.services.map(({ name, url }) => line(name, url))
  const notes = running.notes.length > 0 ? [...running.notes, ''] : []
  const sections = [
    ...addresses,
    '',
    ...notes,
    ...console(running),
    ...keys(running, config),
    ...trust(config),
    ...nextSteps(running, config),
  ]
  return ['', ...heading(running), '', ...sections].join('\n')
}

/** A certificate that nobody has signed is good for those who are told of it. */
const trust = ({ tls, data }: Shown): string[] =>
  tls === 'self-signed'
    ? [
        'Clients trust the certificate once they are told of it, those of Node.js with:',
        '',
        `  export NODE_EXTRA_CA_CERTS=${join(data, certificateName)}`,
        '',
      ]
    : []

const line = (name: string, text: string): string => `  ${name.padEnd(10)} ${text}`

/** "Ready" is said of what is. */
function heading({ problems }: Started): string[] {
  if (problems.length === 0) return ['Atoll is ready.']
  return [
    'Atoll runs, but not all of it is ready:',
    '',
    ...problems.map(({ service, reason }) => line(service, reason)),
  ]
}

const chatNote =
  'Chat is answered by atoll-chat, a small built-in model for functions, JSON and questions on your texts; ./atoll models pull NAME gets a larger one.'

function console({ firstKeys: { consoleLink }, services }: Started): string[] {
  if (consoleLink !== undefined) {
    return ['Open the console; this link logs you in, once and within 15 minutes:', '', `  ${consoleLink}`, '']
  }
  return services.some(({ name }) => name === 'platform')
    ? ['To open the console in a browser: ./atoll console', '']
    : []
}

function keys({ firstKeys: { consoleLink: _, ...firstKeys }, services }: Started, config: Shown): string[] {
  const { chatModel } = config.platform
  if (Object.keys(firstKeys).length === 0)
    return ['Keys are shown once, when they are made; ./atoll keys makes others.', '']
  const lines = ['These keys were made just now and are shown only this once. Copy them:', '']
  const urlOf = (name: string) => services.find((service) => service.name === name)?.url
  const [platform, hooks, cluster] = [urlOf('platform'), urlOf('hooks'), urlOf('cluster')]
  if (platform) lines.push(`  export OPENAI_BASE_URL=${platform}/v1`)
  if (firstKeys.apiKey) lines.push(`  export OPENAI_API_KEY=${firstKeys.apiKey}`)
  if (firstKeys.adminKey) lines.push(`  export OPENAI_ADMIN_KEY=${firstKeys.adminKey}`)
  if (hooks && firstKeys.hookToken) lines.push(`  export ATOLL_HOOKS_TOKEN=${firstKeys.hookToken}`)
  if (hooks && firstKeys.hooksAdminToken) {
    lines.push(`  export ATOLL_HOOKS_URL=${hooks}`, `  export ATOLL_HOOKS_ADMIN_TOKEN=${firstKeys.hooksAdminToken}`)
  }
  if (cluster && firstKeys.clusterAdmin) {
    lines.push(`  export ATOLL_CLUSTER_URL=${cluster}`, `  export ATOLL_CLUSTER_USER=${firstKeys.clusterAdmin}`)
  }
  if (platform && firstKeys.apiKey && chatModel === undefined) lines.push('', chatNote)
  return [...lines, '']
}
