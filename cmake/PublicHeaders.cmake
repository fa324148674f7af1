# The headers that models and plug-ins of others are built against; all others are private. A change of one of them may need
# a new FLASHLOOM_PLUGIN_INTERFACE (sc_main/plugins/plugin_interface.hpp): tests/structure says so.

# <flashloom/NAME>: the SSD as a module of SystemC.
set(flashloom_module_headers sc_main/library/ssd.hpp sc_main/library/nvme_ssd.hpp sc_main/plugins/plugin.hpp)

# What these need; policies, with what the policies of a family share; readers and generators of workloads.
set(flashloom_public_headers
    models/block/block_protocol.hpp
    models/block/io_command.hpp
    models/block/latency_breakdown.hpp
    models/block/placement_id.hpp
    models/common/flash_instants.hpp
    models/common/sector_token.hpp
    models/common/types.hpp
    policies/correlation/correlation.hpp
    policies/host_placement/host_placement.hpp
    policies/correlation/groups.hpp
    policies/correlation/runs.hpp
    policies/eviction.hpp
    policies/garbage_collection/candidates.hpp
    policies/garbage_collection/closing_order.hpp
    policies/garbage_collection/draw.hpp
    policies/garbage_collection/garbage_collection.hpp
    policies/memory_archive.hpp
    policies/nearest.hpp
    policies/parameters.hpp
    policies/placement/bank_order.hpp
    policies/placement/placement.hpp
    policies/registry.hpp
    policies/replacement/cache_model.hpp
    policies/replacement/cache_model_of.hpp
    policies/replacement/frequency_order.hpp
    policies/replacement/page_lists.hpp
    policies/replacement/page_table.hpp
    policies/replacement/pairing_heap.hpp
    policies/replacement/policy_core.hpp
    policies/replacement/registration.hpp
    policies/replacement/replacement.hpp
    policies/replacement/room_timer.hpp
    policies/replacement/slot_policy.hpp
    policies/replacement/two_lists.hpp
    policies/state_archive.hpp
    policies/streams/streams.hpp
    policies/tiering/demand.hpp
    policies/tiering/segment_set.hpp
    policies/tiering/tier_map.hpp
    policies/tiering/tiering.hpp
    policies/wear_leveling/least_worn_free.hpp
    policies/wear_leveling/wear_leveling.hpp
    policies/write_buffer/block_policy.hpp
    policies/write_buffer/recency_ranks.hpp
    policies/write_buffer/sequential_detector.hpp
    policies/write_buffer/write_buffer.hpp
    workloads/address_fit.hpp
    workloads/byte_stream.hpp
    workloads/fio/block_map.hpp
    workloads/fio/fio_files.hpp
    workloads/fio/fio_job.hpp
    workloads/fio/fio_placement.hpp
    workloads/fio/fio_rate.hpp
    workloads/fio/fio_source.hpp
    workloads/fio/job_file.hpp
    workloads/fio/offset_distribution.hpp
    workloads/generators/generator.hpp
    workloads/leading_number.hpp
    workloads/line_reader.hpp
    workloads/objects/object_source.hpp
    workloads/paced_source.hpp
    workloads/permutation.hpp
    workloads/random.hpp
    workloads/request.hpp
    workloads/traces/fields.hpp
    workloads/traces/record_source.hpp
    workloads/traces/trace_format.hpp
    workloads/traces/trace_reader.hpp
    workloads/workload_error.hpp
)
