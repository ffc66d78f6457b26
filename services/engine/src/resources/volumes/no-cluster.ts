// Volumes of a cluster where there is none, or where it is managed elsewhere (ENG-476, ENG-478).
import { unavailable } from '../../errors.ts'
import type { ClusterVolumes } from './schema.ts'

export const noCluster = () =>
  unavailable(
    'This node is not a swarm manager: volumes of a cluster need one. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.',
  )

const refuse = (): never => {
  throw noCluster()
}

export const noClusterVolumes: ClusterVolumes = {
  list: () => [],
  ofDriver: () => [],
  inspect: refuse,
  create: refuse,
  update: refuse,
  remove: refuse,
}
