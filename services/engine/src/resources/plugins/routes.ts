import { bytes, empty } from '@atoll/kernel/http/reply'
import type { Route } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../callers.ts'
import { invalidParameter } from '../../errors.ts'
import { progressReply } from '../../images/progress.ts'
import { readRegistryAuth } from '../../images/registry/auth-header.ts'
import { filters, flag, maybeNumber } from '../query/schema.ts'
import { PluginChanges, PluginName, PluginObject, PluginPrivilege } from './schema.ts'
import type { Plugins } from './service.ts'

const text = z.string().default('')
const granted = z.array(PluginPrivilege).max(1_000).default([])

export const pluginRoutes = (plugins: Plugins): Route<EngineCallers>[] => [
  ...installRoutes(plugins),
  ...namedRoutes(plugins),
  ...changeRoutes(plugins),
]

const installRoutes = (plugins: Plugins): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/plugins',
    auth: 'anyone',
    summary: 'List plugins',
    query: z.object({ filters }),
    response: z.array(PluginObject),
    handler: ({ query }) => plugins.list(query.filters),
  }),
  defineRoute({
    method: 'GET',
    path: '/plugins/privileges',
    auth: 'anyone',
    summary: 'Tell what a plugin wants to be allowed',
    query: z.object({ remote: text }),
    response: z.array(PluginPrivilege),
    handler: ({ query: { remote }, headers, signal }) =>
      plugins.privileges(named(remote), { auth: readRegistryAuth(headers, remote), signal }),
  }),
  defineRoute({
    method: 'POST',
    path: '/plugins/pull',
    auth: 'anyone',
    summary: 'Install a plugin from a registry',
    query: z.object({ remote: text, name: text }),
    body: granted,
    response: 'bytes',
    async handler({ query: { remote, name }, body, headers, signal, setHeader }) {
      const asked = { auth: readRegistryAuth(headers, named(remote)), signal }
      const pulled = plugins.pull({ remote, name, granted: body }, asked)
      setHeader('docker-plugin-name', pulled.name)
      return progressReply(pulled.messages)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/plugins/create',
    auth: 'anyone',
    summary: 'Make a plugin from an archive',
    query: z.object({ name: text }),
    body: 'stream',
    response: 'bytes',
    async handler({ query: { name }, body, signal }) {
      await plugins.create(named(name, 'name'), body, signal)
      return empty()
    },
  }),
]

/** Of one plugin. */
const namedRoutes = (plugins: Plugins): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/plugins/:name/json',
    auth: 'anyone',
    summary: 'Show a plugin',
    params: PluginName,
    response: PluginObject,
    handler: ({ params }) => plugins.inspect(params.name),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/plugins/:name',
    auth: 'anyone',
    summary: 'Remove a plugin',
    params: PluginName,
    query: z.object({ force: flag }),
    response: PluginObject,
    handler: ({ params, query }) => plugins.remove(params.name, query.force),
  }),
  defineRoute({
    method: 'POST',
    path: '/plugins/:name/enable',
    auth: 'anyone',
    summary: 'Enable a plugin',
    params: PluginName,
    query: z.object({ timeout: maybeNumber }),
    response: 'bytes',
    async handler({ params, query }) {
      await plugins.enable(params.name, query.timeout ?? 0)
      return bytes('', {})
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/plugins/:name/disable',
    auth: 'anyone',
    summary: 'Disable a plugin',
    params: PluginName,
    query: z.object({ force: flag }),
    response: 'bytes',
    async handler({ params, query }) {
      await plugins.disable(params.name, query.force)
      return bytes('', {})
    },
  }),
]

/** What makes another of it, here or in a registry. */
const changeRoutes = (plugins: Plugins): Route<EngineCallers>[] => [
  defineRoute({
    method: 'POST',
    path: '/plugins/:name/upgrade',
    auth: 'anyone',
    summary: 'Upgrade a plugin from a registry',
    params: PluginName,
    query: z.object({ remote: text }),
    body: granted,
    response: 'bytes',
    async handler({ params, query: { remote }, body, headers, signal }) {
      const asked = { auth: readRegistryAuth(headers, named(remote)), signal }
      return progressReply(plugins.upgrade(params.name, { remote, granted: body }, asked))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/plugins/:name/push',
    auth: 'anyone',
    summary: 'Push a plugin to its registry',
    params: PluginName,
    response: 'bytes',
    handler: ({ params, headers, signal }) =>
      progressReply(plugins.push(params.name, { auth: readRegistryAuth(headers, params.name), signal }), false),
  }),
  defineRoute({
    method: 'POST',
    path: '/plugins/:name/set',
    auth: 'anyone',
    summary: 'Change settings of a plugin',
    params: PluginName,
    body: PluginChanges,
    response: 'bytes',
    async handler({ params, body }) {
      await plugins.set(params.name, body)
      return empty()
    },
  }),
]

function named(given: string, parameter = 'remote'): string {
  if (given === '') throw invalidParameter(`the parameter ${parameter} is missing`)
  return given
}
