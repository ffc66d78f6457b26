// A running platform as tests see it: requests with a key, and the pieces behind it.
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import type { Kernel } from '@atoll/kernel/kernel'
import type { ProjectCaller } from '../callers.ts'
import type { Platform } from '../platform.ts'
import { formOf, type TestResponse } from './requests.ts'

type Headers = Record<string, string>

interface Parts {
  url: string
  apiKey: string
  adminKey: string
  caller: ProjectCaller
  kernel: Kernel
  platform: Platform
  lines: string[]
  target: DatabaseTarget
  close(): Promise<void>
}

export class TestPlatform {
  readonly url: string
  readonly apiKey: string
  readonly adminKey: string
  readonly caller: ProjectCaller
  readonly kernel: Kernel
  readonly platform: Platform
  readonly target: DatabaseTarget
  readonly #parts: Parts
  readonly #sentKey: string | undefined

  constructor(parts: Parts, sentKey: string | undefined = parts.apiKey) {
    this.url = parts.url
    this.apiKey = parts.apiKey
    this.adminKey = parts.adminKey
    this.caller = parts.caller
    this.kernel = parts.kernel
    this.platform = parts.platform
    this.target = parts.target
    this.#parts = parts
    this.#sentKey = sentKey
  }

  /** The same server, called with another key, or none. */
  as(key: string | undefined): TestPlatform {
    return new TestPlatform(this.#parts, key ?? '')
  }

  /** Stops it in an orderly way, before the test ends. */
  close(): Promise<void> {
    return this.#parts.close()
  }

  /** All that was logged so far. */
  logged(): string {
    return this.#parts.lines.join('')
  }

  async request(
    method: string,
    path: string,
    options: { body?: string | FormData; headers?: Headers } = {},
  ): Promise<TestResponse> {
    const authorization: Headers = this.#sentKey ? { authorization: `Bearer ${this.#sentKey}` } : {}
    const response = await fetch(this.url + path, {
      method,
      headers: { ...authorization, ...options.headers },
      ...(options.body === undefined ? {} : { body: options.body }),
    })
    return response as TestResponse
  }

  get(path: string, headers: Headers = {}): Promise<TestResponse> {
    return this.request('GET', path, { headers })
  }

  delete(path: string): Promise<TestResponse> {
    return this.request('DELETE', path)
  }

  /** A form is sent as multipart, anything else as JSON. */
  post(path: string, body?: FormData | object, headers: Headers = {}): Promise<TestResponse> {
    if (body instanceof FormData) return this.request('POST', path, { body, headers })
    if (body === undefined) return this.request('POST', path, { headers })
    const json = { 'content-type': 'application/json', ...headers }
    return this.request('POST', path, { body: JSON.stringify(body), headers: json })
  }

  async addFile(filename: string, content: string | Uint8Array<ArrayBuffer>, purpose = 'assistants') {
    const response = await this.post('/v1/files', formOf(filename, content, { purpose }))
    if (response.status !== 200) throw new Error(`file refused: ${await response.text()}`)
    return response.json()
  }

  async addProject(name: string): Promise<TestPlatform> {
    const { organizationId } = this.caller
    const project = await this.platform.identity.projects.create(organizationId, { name, creatorId: this.#userId() })
    const owner = { userId: this.#userId(), name: 'test' }
    const { secret } = await this.platform.identity.projectKeys.create(organizationId, project.id, owner)
    const caller = { ...this.caller, projectId: project.id }
    return new TestPlatform({ ...this.#parts, apiKey: secret, caller })
  }

  /** Another organization that the first user owns too. */
  async addOrganization(name: string): Promise<{ organizationId: string; projectId: string }> {
    const owner = { name: 'Owner', email: 'owner@localhost' }
    const { organization, defaultProject } = await this.platform.identity.organizations.create(name, owner)
    return { organizationId: organization.id, projectId: defaultProject.id }
  }

  async addUserKey(): Promise<string> {
    return (await this.platform.identity.userKeys.create({ userId: this.#userId(), name: 'legacy' })).secret
  }

  async addServiceAccountKey(): Promise<string> {
    const { organizationId, projectId } = this.caller
    return (await this.platform.identity.serviceAccounts.create(organizationId, projectId, 'bot')).key.secret
  }

  /** A project key of a user who is no owner of the organization. */
  async addMemberKey(): Promise<string> {
    const { organizationId, projectId } = this.caller
    const { users, projectKeys } = this.platform.identity
    const member = { name: 'Member', email: 'member@localhost', role: 'member' as const }
    const { id } = await users.add(organizationId, member)
    return (await projectKeys.create(organizationId, projectId, { userId: id, name: 'member' })).secret
  }

  #userId(): string {
    return this.caller.actor.id
  }
}
