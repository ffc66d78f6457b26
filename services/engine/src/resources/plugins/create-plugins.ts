// Puts plugins together with those that use them.
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import { notFound } from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import { FilesProgram } from '../../images/files-program.ts'
import type { RegistryClient } from '../../images/registry/registry-client.ts'
import type { LogDriver } from '../../log-drivers/log-driver.ts'
import { CsiController } from '../../plugins/csi/csi-controller.ts'
import { CsiNode } from '../../plugins/csi/csi-node.ts'
import type { CsiPlugins } from '../../plugins/csi/csi-plugins.ts'
import { logDriver, logKeeper } from '../../plugins/log-plugin.ts'
import { PluginContent } from '../../plugins/plugin-content.ts'
import { PluginRegistry } from '../../plugins/plugin-registry.ts'
import { VolumePlugin } from '../../plugins/volume-plugin.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { LogKeeper } from '../containers/logs/log-keeper.ts'
import type { ContainerSpecs } from '../containers/ports.ts'
import type { ContainerRecord } from '../containers/record.ts'
import type { Containers } from '../containers/service.ts'
import type { Volumes } from '../volumes/service.ts'
import type { VolumeDriver } from '../volumes/volume-driver.ts'
import { type InstalledPlugin, Plugins } from './service.ts'

interface PluginNeeds {
  kernel: Pick<Kernel, 'db' | 'ids' | 'log'>
  events: EngineEvents
  /** Of the engine. */
  folder: string
  /** native/files.c, built. */
  filesProgram: string
  runtime: Runtime
  defaultRuntime: string
  specs: ContainerSpecs
  registry: RegistryClient
  volumes: Volumes
  containers: Containers
}

export function createPlugins(needs: PluginNeeds): Plugins {
  const { kernel, events, folder, filesProgram, runtime, defaultRuntime, specs, volumes, containers } = needs
  const { db, ids, log } = kernel
  const content = new PluginContent(join(folder, 'plugins'), new FilesProgram(filesProgram))
  const registry = new PluginRegistry(needs.registry, content)
  const plugins = new Plugins({ db, ids, log, events, runtime, defaultRuntime, specs, content, registry })
  volumes.driversAre({
    find: (name) => plugins.of('volumedriver').filter(isCalled(plugins, name)).map(volumeDriver)[0],
    all: () => plugins.of('volumedriver').map(volumeDriver),
  })
  plugins.usedBy(({ name }) => [
    ...volumes.namesOf(name).map((volume) => `volume ${volume}`),
    ...containers
      .all()
      .filter(
        ({ hostConfig, state }) =>
          state.pid > 0 && plugins.find(hostConfig.LogConfig?.Type ?? '')?.record.name === name,
      )
      .map((container) => `log of container ${container.name}`),
  ])
  return plugins
}

/** Those of CSI, as a swarm uses them. */
export function csiPlugins(plugins: Plugins, events: EngineEvents): CsiPlugins {
  const parts = (found: InstalledPlugin) => ({ plugin: () => found.record, process: found.process })
  const find = (name: string, capability: 'csicontroller' | 'csinode') => {
    const found = plugins.find(name)
    if (found !== undefined && plugins.of(capability).includes(found)) return parts(found)
    throw notFound(`no plugin ${name} that is enabled here has docker.${capability}/1.0`)
  }
  return {
    controller: (name, signal) => new CsiController({ ...find(name, 'csicontroller'), signal }),
    node: (name) => new CsiNode(find(name, 'csinode')),
    nodes: () => plugins.of('csinode').map((found) => new CsiNode(parts(found))),
    listen: (changed) =>
      events.listen(({ Type, Action }) => {
        if (Type === 'plugin' && (Action === 'enable' || Action === 'disable')) changed()
      }),
  }
}

const isCalled = (plugins: Plugins, name: string) => {
  const found = plugins.find(name)
  return (plugin: InstalledPlugin): boolean => plugin === found
}

const volumeDriver = (plugin: InstalledPlugin): VolumeDriver => new VolumePlugin(() => plugin.record, plugin.process)

/** Plugins as those see them who log. */
export interface LogPlugins {
  isLogPlugin(name: string): boolean
  /** Also one that is disabled now: it may be enabled again before the next line comes. */
  driver(name: string): LogDriver | undefined
  keeper(container: ContainerRecord): LogKeeper | undefined
}

export function logPlugins(plugins: Plugins): LogPlugins {
  const partsOf = (name: string) => {
    const found = name === '' ? undefined : plugins.find(name)
    return found === undefined ? undefined : { plugin: () => found.record, process: found.process }
  }
  return {
    isLogPlugin: (name) => plugins.of('logdriver').includes(plugins.find(name) as InstalledPlugin),
    driver(name) {
      const parts = partsOf(name)
      return parts === undefined ? undefined : logDriver(parts)
    },
    keeper(container) {
      const parts = partsOf(container.hostConfig.LogConfig?.Type ?? '')
      return parts === undefined ? undefined : logKeeper(parts, container)
    },
  }
}
