// The reader of a scenario's `system`: hosts, fabric, the array with controllers, cache, chassis
// (pools and volumes: read_pools.cpp).
#include <algorithm>
#include <array>

#include "sim/scenario/protocol_words.hpp"
#include "sim/scenario/reading.hpp"

namespace storcast {
namespace reading {
namespace {

void read_hosts(const ConfigNode& hosts, bool local, Scenario& scenario, Problems& problems,
                ReadLog& log) {
  if (hosts.entries().size() > most_hosts) {
    complain(hosts, "at most " + std::to_string(most_hosts) + " hosts are modelled", problems);
    return;
  }
  for (const ConfigEntry& entry : hosts.entries()) {
    check_name(entry, problems);
    HostConfig host;
    host.name = entry.key;
    host.params = host_schema().read(entry.value, problems, &log);
    if (entry.value.is_map() && local) {
      if (const ConfigNode* ports = entry.value.find("ports")) {
        complain(*ports, "a host with local drives needs no ports", problems);
      }
    } else if (entry.value.is_map()) {
      if (const ConfigNode* ports = map_at(entry.value, "ports", problems)) {
        host.ports = ports_schema().read(*ports, problems, &log);
      }
    }
    scenario.hosts.push_back(std::move(host));
  }
}

std::vector<std::string> words_of_protocols() {
  std::vector<std::string> words;
  for (const ProtocolWord& known : protocol_words) words.emplace_back(known.word);
  return words;
}

std::string name_of(Transport transport) {
  switch (transport) {
    case Transport::tcp:
      return "tcp";
    case Transport::roce:
      return "roce";
    case Transport::fc:
      return "fc";
  }
  return {};
}

// The word, the stack and the ports of every host speak of the same wire.
void check_agreement(const ConfigNode& protocol, const ConfigNode& stack, const Scenario& scenario,
                     Problems& problems) {
  const ProtocolParams& params = scenario.fabric.stack;
  const auto known = std::find_if(protocol_words.begin(), protocol_words.end(),
                                  [&](const ProtocolWord& w) { return w.word == protocol.text(); });
  if (known->transport != params.transport || known->commands != params.commands) {
    complain(stack,
             "protocol and stack do not agree: " + protocol.text() + " goes over " +
                 name_of(known->transport) + ", the stack's transport is " +
                 name_of(params.transport),
             problems);
    return;
  }
  const bool fc = params.transport == Transport::fc;
  for (const HostConfig& host : scenario.hosts) {
    if (fc == (host.ports.kind == PortKind::fc)) continue;
    complain(protocol,
             protocol.text() + " needs " + (fc ? "fc" : "ethernet") + " ports, host " + host.name +
                 " has " + (fc ? "ethernet" : "fc") + " ones (ports.kind)",
             problems);
  }
}

void read_fabric(const ConfigNode& fabric, Scenario& scenario, Problems& problems, ReadLog& log) {
  check_keys(fabric, {"kind", "protocol", "stack"}, problems);
  const ConfigNode* kind = fabric.find("kind");
  if (kind != nullptr && (!kind->is_scalar() || kind->text().empty())) {
    complain(*kind, "a word is wanted", problems, {"direct", "local"});
  } else if (kind != nullptr && kind->text() != "direct") {
    complain(*kind, "'" + kind->text() + "' fabrics are not modelled yet", problems,
             {"direct", "local"});
  }
  const ConfigNode* protocol = fabric.find("protocol");
  const std::vector<std::string> words = words_of_protocols();
  if (protocol == nullptr) {
    if (fabric.find("use") == nullptr) {
      problems.add(fabric.where(), "", fabric.path() + ".protocol is missing", words);
    }
    return;
  }
  if (!protocol->is_scalar() || protocol->text().empty()) {
    complain(*protocol, "a word is wanted", problems, words);
    return;
  }
  if (std::find(words.begin(), words.end(), protocol->text()) == words.end()) {
    complain(*protocol, "'" + protocol->text() + "' is not a protocol that is modelled", problems,
             nearest(protocol->text(), words));
    return;
  }
  scenario.fabric.protocol = protocol->text();
  if (const ConfigNode* stack = map_at(fabric, "stack", problems)) {
    scenario.fabric.stack = protocol_schema().read(*stack, problems, &log);
    if (problems.empty()) check_agreement(*protocol, *stack, scenario, problems);
  }
}

void read_array(const ConfigNode& array, Scenario& scenario, Problems& problems, ReadLog& log) {
  const bool local = scenario.fabric.local;
  check_keys(array, {"controllers", "cache", "chassis", "shelves", "pools", "volumes"}, problems);
  for (const char* key : {"controllers", "cache", "shelves"}) {
    if (!local || array.find(key) == nullptr) continue;
    complain(*array.find(key), std::string("drives in a host (fabric.kind: local) have no ") + key,
             problems);
  }
  const ConfigNode* controllers = local ? nullptr : map_at(array, "controllers", problems);
  if (controllers != nullptr) {
    for (const ConfigEntry& entry : controllers->entries()) {
      check_name(entry, problems);
      scenario.array.controllers.push_back(
          {entry.key, controller_schema().read(entry.value, problems, &log)});
    }
    if (scenario.array.controllers.size() > 2) {
      complain(*controllers, "an array has one or two controllers", problems);
    }
  }
  const ConfigNode* cache = local ? nullptr : map_at(array, "cache", problems);
  if (cache != nullptr) {
    scenario.array.cache = cache_schema().read(*cache, problems, &log);
  }
  const ConfigNode* chassis = array.find("chassis");
  if (chassis != nullptr) scenario.array.chassis = chassis_schema().read(*chassis, problems, &log);
  if (!local) read_shelves(array, scenario, problems, log);
  if (const ConfigNode* pools = map_at(array, "pools", problems)) {
    read_pools(*pools, scenario, problems, log);
    if (problems.empty()) check_bays(*pools, scenario.array, problems);
    if (local) let_engines_work(scenario.array);
  }
  if (const ConfigNode* volumes = map_at(array, "volumes", problems)) {
    read_volumes(*volumes, scenario, problems, log);
  }
}

}  // namespace

void read_system(const ConfigNode& system, Scenario& scenario, Problems& problems, ReadLog& log) {
  check_keys(system, {"hosts", "fabric", "arrays"}, problems);
  const bool local = is_local(system);
  if (const ConfigNode* hosts = map_at(system, "hosts", problems)) {
    read_hosts(*hosts, local, scenario, problems, log);
  }
  if (local) {
    read_local(system, scenario, problems, log);
  } else if (const ConfigNode* fabric = map_at(system, "fabric", problems)) {
    read_fabric(*fabric, scenario, problems, log);
  }
  if (const ConfigNode* arrays = map_at(system, "arrays", problems)) {
    if (arrays->entries().size() > 1) complain(*arrays, "one array is modelled", problems);
    check_name(arrays->entries().front(), problems);
    scenario.array.name = arrays->entries().front().key;
    const ConfigNode& array = arrays->entries().front().value;
    if (!array.is_map()) {
      complain(array, "a map is wanted", problems);
    } else {
      read_array(array, scenario, problems, log);
    }
  }
}

}  // namespace reading
}  // namespace storcast
