// What holds for a service where its description says nothing (ENG-556).
import type { Service, ServiceSpec, UpdateConfig } from './schema.ts'

const second = 1e9

const updateDefaults = {
  ...{ Parallelism: 1, Delay: 0, FailureAction: 'pause', Monitor: 5 * second, MaxFailureRatio: 0, Order: 'stop-first' },
}

const filled = (config: UpdateConfig | undefined): UpdateConfig =>
  ({ ...updateDefaults, ...withoutUndefined(config ?? {}) }) as UpdateConfig

const withoutUndefined = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<T>

export function insertDefaults(service: Service): Service {
  const isJob = service.JobStatus !== undefined
  const { TaskTemplate, EndpointSpec } = service.Spec
  const container = TaskTemplate?.ContainerSpec
  const Spec = {
    ...service.Spec,
    TaskTemplate: {
      ...TaskTemplate,
      ...(container && {
        ContainerSpec: {
          ...{ StopGracePeriod: 10 * second, DNSConfig: {}, Isolation: 'default' },
          ...withoutUndefined(container),
        },
      }),
      Resources: { Limits: {}, Reservations: {}, ...withoutUndefined(TaskTemplate?.Resources ?? {}) },
      RestartPolicy: {
        ...{ Condition: isJob ? 'on-failure' : 'any', Delay: 5 * second, MaxAttempts: 0 },
        ...withoutUndefined(TaskTemplate?.RestartPolicy ?? {}),
      },
      Placement: TaskTemplate?.Placement ?? {},
      ForceUpdate: TaskTemplate?.ForceUpdate ?? 0,
      Runtime: TaskTemplate?.Runtime ?? 'container',
    },
    ...(isJob
      ? {}
      : { UpdateConfig: filled(service.Spec.UpdateConfig), RollbackConfig: filled(service.Spec.RollbackConfig) }),
    EndpointSpec: { Mode: 'vip', ...withoutUndefined(EndpointSpec ?? {}) },
  }
  return { ...service, Spec: Spec as ServiceSpec }
}
