// What every operation on containers works with.
import { join } from 'node:path'
import { Container } from './container.ts'
import type { ContainerHooks, ContainerPorts } from './ports.ts'
import type { ContainerRecord } from './record.ts'
import { Registry } from './registry.ts'
import { deleteContainer, insertContainer, saveContainer } from './store.ts'

export class World {
  readonly ports: ContainerPorts
  readonly registry = new Registry()
  /** Set when the engine goes down: nothing is started any more. */
  isClosed = false

  /** Set by the engine, whose other parts need containers first. */
  hooks: ContainerHooks = {
    beforeStart: async () => {},
    startFailed() {},
    isLogPlugin: () => false,
    execIds: () => [],
  }

  constructor(ports: ContainerPorts) {
    this.ports = ports
  }

  now(): number {
    return this.ports.clock.now()
  }

  folderOf(id: string): string {
    return join(this.ports.folder, 'containers', id)
  }

  /** Into memory; what the database says is true already. */
  adopt(record: ContainerRecord): Container {
    const { db } = this.ports
    const container = new Container(
      record,
      (next) => saveContainer(db.queries, next),
      () => this.registry.changed(),
    )
    this.registry.add(container)
    return container
  }

  async insert(record: ContainerRecord): Promise<Container> {
    await insertContainer(this.ports.db.queries, record)
    return this.adopt(record)
  }

  async forget(container: Container): Promise<void> {
    await deleteContainer(this.ports.db.queries, container.id)
    this.registry.delete(container)
  }

  emit(
    { id, name, imageName, config }: ContainerRecord,
    action: string,
    attributes: Record<string, string> = {},
  ): void {
    this.ports.events.emit('container', action, id, { ...config.Labels, ...attributes, image: imageName, name })
  }

  /** A fault of one container that nobody waits for. */
  warn(container: { id: string }, error: unknown, message: string): void {
    this.ports.log.warn({ container: container.id, error }, message)
  }
}
