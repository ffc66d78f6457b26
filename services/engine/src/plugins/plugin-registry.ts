// Plugins in registries: a manifest like an image's, whose configuration is that of a plugin.

import { wrongDigest } from '../images/content.ts'
import { chainIds, digestOf } from '../images/digest.ts'
import { isIndex } from '../images/image-documents.ts'
import type { Manifest } from '../images/image-intake.ts'
import type { ProgressMessage, RegistryAuth } from '../images/image-registry.ts'
import { canonicalName, parseReference, type Reference, repositoryOf, withLatest } from '../images/reference.ts'
import { downloadBlob } from '../images/registry/download.ts'
import { nonsense, plainError, pullError, unsupported } from '../images/registry/failure.ts'
import { fetchManifest } from '../images/registry/manifests.ts'
import { meter, progressOf, type Report, shortId, step } from '../images/registry/progress.ts'
import { repositoryLine } from '../images/registry/push.ts'
import type { RegistryClient } from '../images/registry/registry-client.ts'
import type { RegistrySession } from '../images/registry/session.ts'
import { NamedLocks } from '../images/registry/slots.ts'
import { hasBlob, uploadBlob } from '../images/registry/upload.ts'
import type { PluginConfig } from '../resources/plugins/schema.ts'
import { maxConfigBytes, readPluginConfig } from './plugin-config.ts'
import { type PluginContent, pluginLimits } from './plugin-content.ts'
import type { PluginLayer, PluginParts, PluginRecord } from './plugin-record.ts'

const configType = 'application/vnd.docker.plugin.v1+json'
const manifestType = 'application/vnd.docker.distribution.manifest.v2+json'
const layerTypes = /^application\/vnd\.(oci\.image\.layer\.v1\.tar(\+gzip)?|docker\.image\.rootfs\.diff\.tar(\.gzip)?)$/
const maxLayers = 128

interface Asked {
  auth: RegistryAuth | undefined
  signal: AbortSignal
}

interface FoundPlugin {
  session: RegistrySession
  manifest: Manifest
  digest: string
  config: PluginConfig
  configBytes: Buffer
}

export class PluginRegistry {
  readonly #registry: Pick<RegistryClient, 'inRepository'>
  readonly #plugins: PluginContent
  readonly #coming = new NamedLocks()

  constructor(registry: Pick<RegistryClient, 'inRepository'>, plugins: PluginContent) {
    this.#registry = registry
    this.#plugins = plugins
  }

  /** The configuration of a plugin that is not here. */
  async config(remote: string, asked: Asked): Promise<PluginConfig> {
    const reference = withLatest(parseReference(remote))
    try {
      return (await this.#find(reference, asked)).config
    } catch (problem) {
      throw pullError(problem, canonicalName(reference), repositoryOf(reference))
    }
  }

  /** `keep` gets what came once all of it is here: `check` may refuse it before that, by its configuration. */
  pull(
    remote: string,
    asked: Asked,
    { check, keep }: { check(config: PluginConfig): void; keep(parts: PluginParts): Promise<void> },
  ): AsyncGenerator<ProgressMessage> {
    const reference = withLatest(parseReference(remote))
    return progressOf(async (report, signal) => {
      try {
        const found = await this.#find(reference, { ...asked, signal })
        check(found.config)
        await this.#plugins.during(async () => keep(await this.#take(reference, found, report, signal)))
        report({ status: `Digest: ${found.digest}` })
      } catch (problem) {
        throw pullError(problem, canonicalName(reference), repositoryOf(reference))
      }
    }, asked.signal)
  }

  /** `done` learns that the registry has it. */
  push(plugin: PluginRecord, asked: Asked, done: () => void): AsyncGenerator<ProgressMessage> {
    const reference = withLatest(parseReference(plugin.name))
    return progressOf(async (report, signal) => {
      try {
        report({ status: repositoryLine(reference) })
        await this.#registry.inRepository(reference, 'pull,push', { ...asked, signal }, (session) =>
          this.#send({ session, reference, plugin, report, signal }),
        )
        done()
      } catch (problem) {
        throw plainError(problem)
      }
    }, asked.signal)
  }

  #find(reference: Reference, { auth, signal }: Asked): Promise<FoundPlugin> {
    return this.#registry.inRepository(reference, 'pull', { auth, signal }, async (session) => {
      const which = reference.digest ?? reference.tag ?? 'latest'
      const { content, digest } = await fetchManifest(session, reference.path, which, signal)
      const manifest = pluginManifest(content)
      const { bytes } = await session.sendSmall(
        { method: 'GET', to: `/v2/${reference.path}/blobs/${manifest.config.digest}`, signal },
        maxConfigBytes,
      )
      if (digestOf(bytes) !== manifest.config.digest) throw wrongDigest(manifest.config.digest, digestOf(bytes))
      return { session, manifest, digest, config: readPluginConfig(bytes), configBytes: bytes }
    })
  }

  async #take(
    { path }: Reference,
    { session, manifest, config, configBytes }: FoundPlugin,
    report: Report,
    signal: AbortSignal,
  ): Promise<PluginParts> {
    const diffIds = config.rootfs?.diff_ids ?? []
    if (diffIds.length !== manifest.layers.length) {
      throw nonsense(`the plugin's manifest has ${manifest.layers.length} layers, its configuration ${diffIds.length}`)
    }
    const chain = chainIds(diffIds)
    const layers: PluginLayer[] = []
    for (const [at, { digest, size, mediaType }] of manifest.layers.entries()) {
      const layer = { digest, size, mediaType, diffId: diffIds[at] ?? '' }
      await this.#takeLayer({ session, path, layer, chainId: chain[at] ?? '', report, signal })
      layers.push(layer)
    }
    const { content } = this.#plugins
    await content.keepBytes(configBytes, manifest.config.digest)
    await content.sync()
    return { config, configDigest: manifest.config.digest, configBytes: configBytes.length, layers }
  }

  async #takeLayer({ session, path, layer, chainId, report, signal }: LayerWork): Promise<void> {
    const { content } = this.#plugins
    const { digest, diffId } = layer
    const id = shortId(digest)
    using _alone = await this.#coming.take(digest, signal)
    if ((await content.hasBlob(digest)) && (await content.hasLayer(chainId))) return report(step(id, 'Already exists'))
    const file = content.partialPath(digest)
    const onRetry = (seconds: number) => report(step(id, `Retrying in ${seconds} seconds`))
    const onProgress = meter(report, id, 'Downloading', layer.size)
    await downloadBlob({ session, path, blob: layer, file, signal, onProgress, onRetry })
    report(step(id, 'Download complete'))
    const unpacked = await content.unpack({ file }, { signal })
    if (unpacked.digest !== digest || unpacked.diffId !== diffId) {
      await unpacked.discard()
      await content.discard(file)
      throw unpacked.digest === digest ? wrongDigest(diffId, unpacked.diffId) : wrongDigest(digest, unpacked.digest)
    }
    await unpacked.place(chainId)
    await content.takeFile(file, digest)
    report(step(id, 'Pull complete'))
  }

  async #send({ session, reference, plugin, report, signal }: SendWork): Promise<void> {
    const { content } = this.#plugins
    const config = { mediaType: configType, digest: plugin.configDigest, size: plugin.configBytes }
    const layers = plugin.layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size }))
    const { path } = reference
    for (const blob of [...layers, config]) {
      const id = shortId(blob.digest)
      if (await hasBlob({ session, path, blob, signal })) {
        report(step(id, 'Layer already exists'))
        continue
      }
      const onProgress = meter(report, id, 'Pushing', blob.size)
      const onRetry = (seconds: number) => report(step(id, `Retrying in ${seconds} seconds`))
      await uploadBlob({ session, blobs: content, path, blob, signal, onProgress, onRetry })
      report(step(id, 'Pushed'))
    }
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config, layers }))
    const tag = reference.tag ?? 'latest'
    const headers = { 'content-type': manifestType }
    const to = `/v2/${path}/manifests/${tag}`
    await session.sendSmall({ method: 'PUT', to, headers, body: () => bytes, signal }, maxConfigBytes)
    report({ status: `${tag}: digest: ${digestOf(bytes)} size: ${bytes.length}` })
  }
}

interface LayerWork {
  session: RegistrySession
  path: string
  layer: PluginLayer
  chainId: string
  report: Report
  signal: AbortSignal
}

interface SendWork {
  session: RegistrySession
  reference: Reference
  plugin: PluginRecord
  report: Report
  signal: AbortSignal
}

/** Registries keep images under the same kind of names. */
function pluginManifest(content: Awaited<ReturnType<typeof fetchManifest>>['content']): Manifest {
  if (isIndex(content) || content.config.mediaType !== configType) {
    throw unsupported('this is no plugin: images are pulled with "docker pull"')
  }
  if (content.config.size > maxConfigBytes) throw nonsense(`the configuration is longer than ${maxConfigBytes} bytes`)
  if (content.layers.length > maxLayers) throw nonsense(`the plugin has more than ${maxLayers} layers`)
  const odd = content.layers.find(({ mediaType }) => !layerTypes.test(mediaType))
  if (odd !== undefined) throw unsupported(`unsupported layer media type "${odd.mediaType.slice(0, 200)}"`)
  const bytes = content.layers.reduce((sum, { size }) => sum + size, 0)
  if (bytes > pluginLimits.bytes) throw nonsense(`the plugin has more than ${pluginLimits.bytes} bytes`)
  return content
}
