// What is on a network of the swarm, for who asks in full (ENG-451, ENG-452).
import type { ContainerRecord } from '../resources/containers/record.ts'
import type { SwarmStore } from './store/swarm-store.ts'

export function describeServices(store: SwarmStore, containers: readonly ContainerRecord[], network: string) {
  const on = store
    .all('service')
    .filter(({ Spec }) => Spec.TaskTemplate?.Networks?.some(({ Target }) => Target === network) === true)
  return Object.fromEntries(
    on.map(({ ID, Spec, Endpoint }) => [
      Spec.Name ?? ID,
      {
        VIP: Endpoint.VirtualIPs?.find(({ NetworkID }) => NetworkID === network)?.Addr.split('/')[0] ?? '',
        Ports: (Endpoint.Ports ?? []).map(
          ({ PublishedPort, TargetPort }) => `Target: ${TargetPort}, Publish: ${PublishedPort}`,
        ),
        LocalLBIndex: 0,
        Tasks: store
          .all('task')
          .filter(({ ServiceID, Status }) => ServiceID === ID && Status.State === 'running')
          .map((task) => {
            const container = containers.find(({ taskId }) => taskId === task.ID)
            const endpoint = Object.values(container?.endpoints ?? {}).find(({ NetworkID }) => NetworkID === network)
            return {
              Name: container?.name ?? task.ID,
              EndpointID: endpoint?.EndpointID ?? '',
              EndpointIP: task.addresses?.[network] ?? endpoint?.IPAddress ?? '',
              Info: { 'Host IP': store.get('node', task.NodeID ?? '')?.Status.Addr ?? '' },
            }
          }),
      },
    ]),
  )
}
