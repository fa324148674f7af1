// Energy of a channel's wires for each byte that they move.
#pragma once


namespace flashloom {

struct NandConfig;

/// Joules a byte on the bus, `nand.bus_energy_model = "capacitance"`:
///
///     J = 8 / width x (activity x width + strobes) x C V (swing V) / 2,   C = C_bus + dies of the channel x C_die
///
/// A line that rises draws the charge C x swing V from the supply at V, one that falls draws nothing: on average half
/// of C V (swing V) a transition. Of the `width` data lines a share `activity` changes with each transfer
/// (random data: 0.5), of the strobe lines (DQS and its complement) all. Without termination lines swing from rail to
/// rail (swing 1); terminated to half of V (SSTL, ONFI 4.1, NV-DDR2 and NV-DDR3 with ODT) they swing as driver and
/// termination divide V, by about half of it. The terminations draw bus_termination_power while data move.
/// All dies of a channel load the wires, whichever is selected: so more ways cost more energy a byte.
/// Command and address cycles, 7 of them against the thousands of bytes of a page, are not counted.
///
/// Of C_die: DDR3 data sheets, whose pads NV-DDR2 and NV-DDR3 share the signalling with, say 1.5 to 3.0 pF a pin
/// (Samsung K4B2G0846D, table 43, C_IO, without a package of several dies); older asynchronous NAND says 10 pF at most.
/// C_bus, pad of the controller and some centimetres of trace, is an estimate (weak).
double bus_energy_per_byte(const NandConfig& config);

/// Power while bytes follow each other at transfer_rate, in W.
double bus_watts(const NandConfig& config);

/// Joules a byte on one link of a network: nand.network.link_energy or, if that is 0, by nand.bus_energy_model what a
/// bus draws while it moves the byte at the link's rate: bus_current, or the formula above with the pads of a router
/// and of the chip behind it instead of all dies of a channel (an assumption; a vertical topology has buses, and uses
/// the longer kind), plus the terminations' power for that time.
double link_energy_per_byte(const NandConfig& config);

}  // namespace flashloom
