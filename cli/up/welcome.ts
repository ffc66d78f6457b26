// What a person sees once Atoll is up.

import type { AtollConfig } from '../config.ts'
import type { Running } from './compose.ts'

type Started = Pick<Running, 'services' | 'firstKeys' | 'notes'>

type Shown = Pick<AtollConfig, 'tls'> & { platform: Pick<AtollConfig['platform'], 'chatModel'> }

export function welcome(running: Started, config: Shown): string {
  const addresses = running.services.map(({ name, url }) => `  ${name.padEnd(10)} ${url}`)
  const notes = running.notes.length > 0 ? [...running.notes, ''] : []
  return ['', 'Atoll is ready.', '', ...addresses, '', ...notes, ...keys(running, config), ''].join('\n')
}

const chatNote =
  'Chat is answered by atoll-chat, a small built-in model for functions, JSON and questions on your texts; ./atoll models pull NAME gets a larger one.'

function keys({ firstKeys, services }: Started, { tls, platform: { chatModel } }: Shown): string[] {
  if (Object.keys(firstKeys).length === 0) return []
  const lines = ['These keys were made just now and are shown only this once. Copy them:', '']
  const platform = services.find((service) => service.name === 'platform')
  if (platform) lines.push(`  export OPENAI_BASE_URL=${platform.url}/v1`)
  if (firstKeys.apiKey) lines.push(`  export OPENAI_API_KEY=${firstKeys.apiKey}`)
  if (firstKeys.adminKey) lines.push(`  export OPENAI_ADMIN_KEY=${firstKeys.adminKey}`)
  const trust = tls === 'self-signed' ? ' --insecure' : ''
  const hooks = services.find((service) => service.name === 'hooks')
  if (hooks && firstKeys.hookToken) lines.push(`  export ATOLL_HOOKS_TOKEN=${firstKeys.hookToken}`)
  if (hooks && firstKeys.hooksAdminToken) {
    lines.push(`  export ATOLL_HOOKS_URL=${hooks.url}`, `  export ATOLL_HOOKS_ADMIN_TOKEN=${firstKeys.hooksAdminToken}`)
  }
  const cluster = services.find((service) => service.name === 'cluster')
  if (cluster && firstKeys.clusterAdmin) {
    lines.push(`  export ATOLL_CLUSTER_URL=${cluster.url}`, `  export ATOLL_CLUSTER_USER=${firstKeys.clusterAdmin}`)
  }
  if (platform && firstKeys.apiKey) {
    lines.push(
      '',
      'Then try:',
      '',
      `  curl${trust} -H "Authorization: Bearer $OPENAI_API_KEY" "$OPENAI_BASE_URL/models"`,
    )
    if (chatModel === undefined) lines.push('', chatNote)
  }
  return [...lines, '']
}
