// New limits and another restart policy for a container, running or not.
import { conflict, invalidParameters } from '../../errors.ts'
import type { Container } from './container.ts'
import { seconds, within } from './deadline.ts'
import { kernelMemoryOf } from './kernel-memory.ts'
import { hasRestartPolicy, restartPolicyProblems } from './restart-policy.ts'
import type { HostConfig, UpdateContainer } from './schema.ts'
import type { World } from './world.ts'

const updateDeadline = seconds(20)

/** Must run alone on its container. */
export async function update(
  world: World,
  container: Container,
  asked: UpdateContainer,
  ways: ReadonlySet<string>,
): Promise<string[]> {
  if (container.isRemoving || container.state.status === 'removing') {
    throw conflict('container is marked for removal and cannot be "update"')
  }
  const { record } = container
  const kernelMemory = kernelMemoryOf(asked.KernelMemory, ways)
  const hostConfig = merged(record.hostConfig, { ...asked, KernelMemory: kernelMemory.value })
  const checked = await within(
    updateDeadline,
    'checking the limits',
    world.ports.specs.check(record.config, hostConfig),
  )
  const problems = [
    ...conflicts(record.hostConfig, asked),
    ...kernelMemory.problems,
    ...restartPolicyProblems(asked.RestartPolicy),
    ...checked.problems,
  ]
  if (problems.length > 0) throw invalidParameters(problems)
  if (container.run !== undefined) {
    // A limit that is taken away has to be said to be none: what is left out stays as it was.
    const isUnlimited = asked.PidsLimit !== undefined && asked.PidsLimit <= 0
    const resources = await world.ports.specs.resources(isUnlimited ? { ...hostConfig, PidsLimit: -1 } : hostConfig)
    await within(updateDeadline, 'updating', world.ports.runtime.update(container.id, resources))
  }
  await container.change((newest) => ({ ...newest, hostConfig }))
  world.emit(container.record, 'update')
  return checked.warnings
}

/** What is zero, empty or absent stays as it is. */
function merged(before: HostConfig, asked: UpdateContainer): HostConfig {
  const { RestartPolicy: policy, PidsLimit: pids, ...rest } = asked
  const given = Object.entries(rest).filter(([, value]) => value && !(Array.isArray(value) && value.length === 0))
  return {
    ...before,
    ...Object.fromEntries(given),
    // ENG-307, ENG-308: none. ENG-309: as before.
    PidsLimit: pids === undefined ? before.PidsLimit : Math.max(0, pids),
    RestartPolicy: policy?.Name
      ? { Name: policy.Name, MaximumRetryCount: policy.MaximumRetryCount ?? 0 }
      : before.RestartPolicy,
  }
}

function conflicts(before: HostConfig, asked: UpdateContainer): string[] {
  const swap = asked.MemorySwap || before.MemorySwap
  const rules: [unknown, string][] = [
    [
      asked.NanoCpus && before.CpuPeriod,
      'Conflicting options: Nano CPUs cannot be updated as CPU Period has already been set',
    ],
    [
      asked.NanoCpus && before.CpuQuota,
      'Conflicting options: Nano CPUs cannot be updated as CPU Quota has already been set',
    ],
    [
      asked.CpuPeriod && before.NanoCpus,
      'Conflicting options: CPU Period cannot be updated as NanoCPUs has already been set',
    ],
    [
      asked.CpuQuota && before.NanoCpus,
      'Conflicting options: CPU Quota cannot be updated as NanoCPUs has already been set',
    ],
    [
      asked.Memory && !asked.MemorySwap && swap && swap > 0 && asked.Memory > swap,
      'Memory limit should be smaller than already set memoryswap limit, update the memoryswap at the same time',
    ],
    [
      before.AutoRemove && hasRestartPolicy(asked.RestartPolicy),
      'Restart policy cannot be updated because AutoRemove is enabled for the container',
    ],
  ]
  return rules.filter(([isBroken]) => Boolean(isBroken)).map(([, problem]) => problem)
}
