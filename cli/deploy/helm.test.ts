// The chart as a cluster gets it: rendered with several values, read by Kubernetes' types, and settings taken from what
// its pods are started with.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { ConfigMap, Service } from 'kubernetes-types/core/v1.d.ts'
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadAtollConfig } from '../config.ts'
import { root } from '../places.ts'
import { lackingHelm, renderedChart } from './testing/helm-chart.ts'
import { schemaProblems } from './testing/kubernetes-schema.ts'
import { podEnvironment } from './testing/pod-environment.ts'

const chart = join(root, 'deploy', 'helm', 'atoll')
const usual = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'))
const lacks = lackingHelm()

const secret = {
  'database-url': 'postgres://atoll:secret@db.example.com/atoll',
  's3-access-key-id': 'id',
  's3-secret-access-key': 'key',
}

const valueSets: Record<string, object> = {
  'no values of its own': {},
  'one node': { replicas: 1 },
  'a store elsewhere': { s3: { bucket: 'models', endpoint: 'https://s3.example.com', region: 'eu-1', prefix: '007' } },
  'an address with a certificate': {
    ingress: {
      ...{ enabled: true, className: 'nginx', host: 'ai.example.com', tlsSecret: 'ai-certificate' },
      annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600' },
    },
  },
  'an address without': { ingress: { ...usual.ingress, enabled: true } },
  'everything else': {
    ...{ replicas: 5, maxUnavailable: 2, existingSecret: 'other', resources: {} },
    image: { repository: 'registry.example.com/atoll', tag: '1.2.3', pullPolicy: 'Always' },
    shutdown: { drainSeconds: 60, graceSeconds: 3600 },
    startup: { seconds: 61 },
    readiness: { periodSeconds: 5, failureThreshold: 3 },
    config: { log: { level: 'warn' }, platform: { rateLimits: { tokensPerMinute: 1_000_000_000 } } },
    service: { type: 'LoadBalancer', port: 80, hooksPort: 8081 },
    persistence: { size: '100Gi', storageClass: 'fast' },
    nodeSelector: { 'node.kubernetes.io/instance-type': 'large' },
    tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }],
  },
}

function rendered(values: object, release = 'group') {
  const objects = renderedChart(chart, release, { ...usual, ...values })
  const all = <T>(kind: string) => objects.filter((object) => object.kind === kind) as T[]
  const [set] = all<StatefulSet>('StatefulSet')
  const [config] = all<ConfigMap>('ConfigMap')
  const [ingress] = all<Ingress>('Ingress')
  return { objects, set: set!, config: config!, ingress, services: all<Service>('Service') }
}

describe.skipIf(lacks !== '')(`deploy/helm/atoll, rendered (${lacks || 'nothing lacks'})`, () => {
  it('is what Kubernetes takes, whatever the values, and nothing else is', { timeout: 120_000 }, async () => {
    const lists = Object.values(valueSets).map((values) => rendered(values).objects)
    const text = JSON.stringify(lists[0])
    const wrong = [
      text.replace('"replicas":3', '"replicas":"3"'),
      text.replace('"serviceName":', '"service":'),
      text.replace('"mountPath":"/tmp"', '"path":"/tmp"'),
    ].map((changed) => JSON.parse(changed) as (typeof lists)[0])
    const problems = await schemaProblems([...lists, ...wrong])
    const names = Object.keys(valueSets)
    expect(Object.fromEntries(names.map((name, at) => [name, problems[at]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, []])),
    )
    expect(problems.slice(names.length).map(({ length }) => length > 0)).toEqual([true, true, true])
  })

  // A release has often the name of its chart, and services are told to pods by variables with their names.
  it.each(['atoll', 'group'])('starts nodes on settings that Atoll takes, as the release %s', async (release) => {
    const { set, services, config } = rendered(valueSets['everything else']!, release)
    const file = join(await tempDir(), 'node.yaml')
    writeFileSync(file, config.data?.['node.yaml'] ?? '')
    const env = { ...podEnvironment(set, services, secret), ATOLL_CONFIG: file, ATOLL_HOST: '0.0.0.0' }
    const { database, blobs, shutdown, platform, port } = await loadAtollConfig({
      env,
      flags: { data: await tempDir() },
    })
    expect(database.url).toBe(secret['database-url'])
    expect(blobs.s3).toMatchObject({ bucket: 'atoll', accessKeyId: 'id', secretAccessKey: 'key' })
    expect(platform.rateLimits.tokensPerMinute).toBe(1_000_000_000)
    expect(shutdown).toEqual({ drainSeconds: 60, graceSeconds: 3600 })
    expect(set.spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(3660)
    expect(set.spec?.template.spec?.containers[0]?.ports?.map(({ containerPort }) => containerPort)).toContain(port)
  })

  it('lets nodes start as another user, on a root folder they cannot write to, as long as a schema may take', () => {
    const { spec } = rendered({ startup: { seconds: 600 } }).set.spec!.template
    expect(spec?.securityContext).toMatchObject({ runAsNonRoot: true })
    const { securityContext, startupProbe, readinessProbe, image } = spec!.containers[0]!
    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    expect(startupProbe!.periodSeconds! * startupProbe!.failureThreshold!).toBe(600)
    expect([readinessProbe?.httpGet?.path, image]).toEqual(['/readyz', expect.stringMatching(/^atoll:\d/)])
  })

  it('sends to pods of the set alone, by ports that they have', () => {
    const { set, services, ingress } = rendered(valueSets['an address with a certificate']!)
    const { labels } = set.spec!.template.metadata!
    const ports = set.spec!.template.spec!.containers[0]!.ports!.map(({ name }) => name)
    expect(set.spec!.serviceName).toBe(services.find(({ spec }) => spec?.clusterIP === 'None')?.metadata?.name)
    for (const { spec } of services) {
      expect(labels).toMatchObject(spec!.selector!)
      for (const { targetPort } of spec!.ports!) expect(ports).toContain(targetPort)
    }
    const [rule] = ingress!.spec!.rules!
    const { service } = rule!.http!.paths[0]!.backend
    const behind = services.find(({ metadata }) => metadata?.name === service?.name)
    expect(behind?.spec?.ports?.map(({ name }) => name)).toContain(service?.port?.name)
    expect(ingress!.spec!.tls).toEqual([{ hosts: ['ai.example.com'], secretName: 'ai-certificate' }])
  })
})
