// The spare areas of all programmed pages are read. Source: A. Ban, US patent 5,404,485, 1995 (unit and version in the
// spare area); E. Gal, S. Toledo, ACM Computing Surveys 37(2), 2005, section 3.
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "policies/registry.hpp"

namespace flashloom::recovery::oob_scan {
namespace {

class OobScan final : public RecoveryMethod {};

const Registration<RecoveryMethod> registration{
    {.name = "oob_scan",
     .summary = "reads the spare area of every programmed page",
     .source = "A. Ban, US patent 5,404,485, 1995; Gal and Toledo, ACM Computing Surveys 37(2), 2005",
     .parameters = {}},
    [](const RecoveryContext&, const ParameterValues&) { return std::make_unique<OobScan>(); }};

}  // namespace
}  // namespace flashloom::recovery::oob_scan
