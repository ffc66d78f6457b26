// Why this machine cannot do what was asked of its swarm, in docker's words.
export const lockedWords =
  'Swarm is encrypted and needs to be unlocked before it can be used. Please use "docker swarm unlock" to unlock it.'
export const workerWords =
  "This node is not a swarm manager. Worker nodes can't be used to view or modify cluster state. Please run this command on a manager node or promote the current node to a manager."
export const slowJoinWords =
  'Timeout was reached before node joined. The attempt to join the swarm will continue in the background. Use the "docker info" command to see the current swarm status of your node.'
export const alreadyWords =
  'This node is already part of a swarm. Use "docker swarm leave" to leave this swarm and join another one.'
export const leaveWords =
  'You are attempting to leave the swarm on a node that is participating as a manager. Removing the last manager erases all current state of the swarm. Use `--force` to ignore this message.'
export const outsideWords =
  'The swarm is kept in an etcd outside this machine, and engine.swarmStore does not say where: set it as on the other managers, and start the engine again'
